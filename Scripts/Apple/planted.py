"""Plants faults in a copy of the package, each in a file of its own, and looks whether the compiler finds each."""

import re
import shutil

from Apple.sdk import Broken

# The target, the code, and what has to be said about it. The last one is found only while code is generated. No fault is
# in a signature: the targets that import a module need it.
FAULTS = [
    ("NestedRecords", "import Synchronization\n\nlet planted = Mutex(0)\n", "'Mutex' is only available in macOS 15"),
    ("NestedRecords", "actor Planted { isolated deinit {} }\n", "isolated deinit is only available in macOS 15.4"),
    ("NestedRecordsFile", "let plantedNumber: Int128 = 0\n", "'Int128' is only available in macOS 15"),
    (
        "NestedRecordsFile",
        "#if canImport(Darwin)\nimport Darwin\n\n"
        "func planted() -> Int32 { pthread_setname_np(pthread_self(), \"\") }\n#endif\n", "extra argument in call"),
    ("NestedRecordsTesting", "func planted() { _ = Date() }\n", "cannot find 'Date'"),
    ("NestedRecordsSQLite", '#if SQLite\nfunc planted() -> Int { "" }\n#endif\n', "cannot convert return expression"),
    (
        "NestedRecordsPostgreSQL",
        "func planted() async {\n    await withTaskGroup(of: Void.self) { group in group.addImmediateTask {} }\n}\n",
        r"'addImmediateTask\(.*\)' is only available in macOS 26"),
    (
        "NestedRecordsCloudKit",
        "#if canImport(CloudKit)\nimport CloudKit\n\n"
        "func planted() -> CKError.Code { .participantAlreadyInvited }\n#endif\n",
        "'participantAlreadyInvited' is only available in macOS 26"),
    (
        "NestedRecordsCloudKit",
        "#if canImport(CloudKit)\nimport CloudKit\n\n"
        "func planted(_ database: CKDatabase, _ id: CKRecord.ID) async throws {\n    _ = try await database.record(of: id)\n}\n"
        "#endif\n", "incorrect argument label in call"),
    (
        "NestedRecordsTestingTests",
        "import Testing\n\n@Test func planted() {\n    let text = String(validating: [UInt8](), as: UTF8.self)\n"
        "    #expect(text == nil)\n}\n",
        r"'init\(validating:as:\)' is only available in macOS 15"),
    (
        "NestedRecordsViews",
        "#if canImport(SwiftUI)\nimport SwiftUI\n\n"
        "struct Planted: View {\n    var body: some View { Text(\"\").disable(true) }\n}\n#endif\n",
        "value of type 'Text' has no member 'disable'"),
    ("SchoolSample", "func planted() -> Int8 { 100 + 100 }\n", "results in an overflow"),
]


def self_test(package, work, sdk, compile_copy):
    copy = work / "planted"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(package.folder, copy, ignore=shutil.ignore_patterns(".*", "Benchmarks", "Cards", "Notes"))
    files = []
    for number, (target, code, message) in enumerate(FAULTS):
        folder = next(candidate.folder for candidate in package.targets if candidate.name == target)
        path = copy / folder.relative_to(package.folder) / f"Planted{number}.swift"
        path.write_text(code)
        files.append((path.name, target, message))
    # The tests need TestSupport, and NestedRecordsCloudKit needs NestedRecordsHTTP.
    found = compile_copy(copy, {target for target, _, _ in FAULTS} | {"TestSupport", "NestedRecordsHTTP"})
    shutil.rmtree(copy)
    passes = True
    for name, target, message in files:
        lines = [line for line in found[target] if name in line]
        if not any(re.search(message, line) for line in lines):
            print(f"not found in {target}: {message}; said: {lines or 'nothing'}")
            passes = False
    others = [line for lines in found.values() for line in lines if "Planted" not in line]
    if others:
        print("more than the planted faults was found:", *others, sep="\n    ")
        passes = False
    try:
        sdk.write("Planted", sdk.header("Planted") + "import Swift\npublic func planted(_: Swift.Unknown)\n")
        sdk.compile(["Planted"])
        print("a broken stand-in is not noticed")
        passes = False
    except Broken:
        pass
    finally:
        shutil.rmtree(sdk.swift / "Planted.swiftmodule")
    if passes:
        print(f"the {len(FAULTS)} planted faults and a broken stand-in are found")
    return passes
