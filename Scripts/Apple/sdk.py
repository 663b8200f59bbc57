"""A stand-in for the SDK of one of Apple's systems, made from the Linux toolchain and Darwin's C headers."""

import glob
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile

from Apple import interfaces

HERE = pathlib.Path(__file__).resolve().parent
STAND_INS = HERE / "stand-ins"
# The stand-in for CloudKit that the tests on Linux use.
CLOUD_KIT = HERE.parent.parent / "Tests" / "CloudKitStandIn"

# Targets of Intel simulators: the toolchain's interfaces of Linux are those of a processor with numbers of 80 bits.
TRIPLES = {
    "macos": "x86_64-apple-macosx{}",
    "ios": "x86_64-apple-ios{}-simulator",
    "tvos": "x86_64-apple-tvos{}-simulator",
    "watchos": "x86_64-apple-watchos{}-simulator",
    "visionos": "x86_64-apple-xros{}-simulator",
}
INTERFACES = (
    "Swift _Concurrency SwiftOnoneSupport _StringProcessing _RegexParser Synchronization Observation _Builtin_float"
    " RegexBuilder Testing").split()
# In the order of their imports.
MODULES = (
    "Swift SwiftOnoneSupport _Concurrency _RegexParser _StringProcessing RegexBuilder Darwin _Builtin_float Synchronization"
    " Observation Dispatch Foundation Testing").split()
# What the tests and the samples use of the part of Foundation that is not FoundationEssentials.
REST_OF_FOUNDATION = (
    "FileHandle Pipe Process QualityOfService Thread NSLock NSLocking Bundle JSONSerialization Unit Dimension UnitConverter"
    " UnitConverterLinear UnitLength Measurement PersonNameComponents IndexSet CharacterSet AffineTransform CGFloat CGPoint"
    " CGSize CGRect String StringProtocol XMLParser XMLParserDelegate").split()
HEADERS = (
    "TargetConditionals sys/types stdint stddef stdio stdlib string strings unistd fcntl errno math time signal pthread"
    " sched termios poll dirent dlfcn limits locale spawn netdb ctype wchar copyfile malloc/malloc sys/stat sys/file"
    " sys/ioctl sys/mman sys/socket sys/time sys/uio sys/un sys/wait sys/sysctl sys/resource sys/utsname sys/xattr"
    " sys/random sys/clonefile sys/mount netinet/in netinet/tcp arpa/inet os/lock mach/mach_time mach-o/dyld").split()


class Missing(Exception):
    """Something that the check needs is not installed and cannot be downloaded."""


class Broken(Exception):
    """The stand-in SDK cannot be made, or does not compile."""


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


class Toolchain:
    def __init__(self):
        if not shutil.which("swiftc") or not shutil.which("swift-synthesize-interface"):
            raise Missing("no Swift toolchain with swift-synthesize-interface is installed")
        info = json.loads(run("swiftc", "-print-target-info").stdout)
        self.resources = pathlib.Path(info["paths"]["runtimeResourcePath"])
        self.linux = self.resources / "linux"
        self.plugins = self.resources / "host" / "plugins"
        self.compiler = info["compilerVersion"]
        if not self.path("Swift").exists():
            raise Missing("the toolchain has no interfaces of Linux on x86_64")

    def path(self, module):
        return self.linux / f"{module}.swiftmodule" / f"{interfaces.LINUX}.swiftinterface"

    def interface(self, module):
        return self.path(module).read_text()

    def printed(self, module):
        done = run(
            "swift-synthesize-interface", "-module-name", module, "-print-fully-qualified-types", "-target",
            interfaces.LINUX, "-I", str(self.linux), "-sdk", "/")
        if done.returncode:
            raise Broken(f"cannot print the interface of {module}: {done.stderr[:300]}")
        return done.stdout

    def cloud_kit(self, folder):
        """The interface on Linux of the stand-in for CloudKit, which is made in a folder."""
        for module in ["CoreLocation", "CloudKit"]:
            interface = folder / f"{module}.swiftinterface"
            done = run(
                "swiftc", "-frontend", "-emit-module", "-experimental-skip-all-function-bodies", "-module-name", module,
                "-swift-version", "6", "-parse-as-library", "-enable-library-evolution", "-I", str(folder), "-o",
                str(folder / f"{module}.swiftmodule"), "-emit-module-interface-path", str(interface),
                *sorted(map(str, (CLOUD_KIT / module).rglob("*.swift"))))
            if done.returncode:
                raise Broken(f"cannot compile the stand-in for {module} on Linux: {done.stderr[-500:]}")
        return interface.read_text()


# Systems are compiled at the same time, and share the headers.
MAKING_HEADERS = threading.Lock()


def darwin_headers(work):
    """The headers of Darwin's C library, out of the installed or downloaded PyPI package `ziglang`."""
    with MAKING_HEADERS:
        return made_darwin_headers(work)


def made_darwin_headers(work):
    folder = work / "darwin-headers"
    if folder.is_dir():
        return folder
    part, fresh = "lib/libc/include/any-darwin-any", work / "darwin-headers.new"
    shutil.rmtree(fresh, ignore_errors=True)
    installed = run(sys.executable, "-c", "import ziglang; print(ziglang.__path__[0])").stdout.strip()
    if installed and os.path.isdir(os.path.join(installed, part)):
        shutil.copytree(os.path.join(installed, part), fresh)
    else:
        done = run(
            sys.executable, "-m", "pip", "download", "--no-deps", "--disable-pip-version-check", "--retries", "1",
            "-q", "-d", str(work), "ziglang")
        wheels = glob.glob(str(work / "ziglang-*.whl"))
        if not wheels:
            reason = (done.stderr.strip().split("\n") or [""])[-1][-200:]
            raise Missing(f"Darwin's C headers are in the PyPI package ziglang, which cannot be downloaded ({reason})")
        with zipfile.ZipFile(wheels[0]) as wheel:
            for name in wheel.namelist():
                if part in name and not name.endswith("/"):
                    path = fresh / name.split(part + "/")[1]
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(wheel.read(name))
        for wheel in wheels:
            os.remove(wheel)
    if not (fresh / "stdio.h").exists():
        raise Broken("the package ziglang has no headers of Darwin")
    fresh.rename(folder)
    return folder


def c_libraries(work):
    """The headers of SQLite and libpq: those of Linux, which are the same."""
    folder = work / "c-libraries"
    folder.mkdir(parents=True, exist_ok=True)
    for names, library in [(["sqlite3.h"], "sqlite3"), (["libpq-fe.h", "postgres_ext.h", "pg_config_ext.h"], "libpq")]:
        flags = run("pkg-config", "--cflags-only-I", library).stdout.split() if shutil.which("pkg-config") else []
        places = [flag[2:] for flag in flags] + ["/usr/include", "/usr/include/postgresql"]
        for name in names:
            found = [os.path.join(place, name) for place in places if os.path.exists(os.path.join(place, name))]
            if not found:
                raise Missing(f"the header {name} is not installed")
            shutil.copy(found[0], folder)
    return folder


class SDK:
    """The stand-in for one system, in a folder of its own: made again when the toolchain or this program changes."""

    def __init__(self, work, system, version, toolchain):
        self.triple = TRIPLES[system].format(version)
        self.system, self.toolchain = system, toolchain
        inputs = [toolchain.compiler, self.triple] + [
            path.read_text() for path in [
                HERE / "sdk.py", HERE / "interfaces.py", *sorted(STAND_INS.iterdir()), *sorted(CLOUD_KIT.rglob("*.swift"))]]
        key = hashlib.sha256("\0".join(inputs).encode()).hexdigest()[:12]
        self.folder = work / f"{system}-{key}"
        self.cache = work / f"{system}-{key}.cache"
        self.swift = self.folder / "usr" / "lib" / "swift"
        if not (self.folder / "complete").exists():
            for old in work.glob(f"{system}-*"):
                shutil.rmtree(old)
            self.make(darwin_headers(work))

    def make(self, headers):
        for module in INTERFACES:
            text = interfaces.retargeted(self.toolchain.interface(module), self.triple)
            if module == "Synchronization":
                text += "\n@usableFromInline internal func _swift_stdlib_gettid() -> Swift.UInt32\n"
            self.write(module, text)
        self.write("Darwin", interfaces.darwin_overlay(self.toolchain.interface("Glibc"), self.triple))
        imports = "import Darwin\nimport Swift\nimport _Concurrency\nimport _StringProcessing\nimport Synchronization\n"
        dispatch = interfaces.declarations(self.toolchain.printed("Dispatch"), {"Glibc.": "Darwin."})
        self.write("Dispatch", self.header("Dispatch") + imports + dispatch)
        imports = "@_exported import Dispatch\n@_exported " + imports
        self.write("Foundation", self.header("Foundation") + imports + self.foundation())
        # What is declared by hand of Foundation is a part of the printed module.
        by_hand = sorted({path.stem for path in STAND_INS.glob("*.swiftinterface")} - {"Foundation"})
        for module in by_hand:
            self.write(module, self.header(module) + (STAND_INS / f"{module}.swiftinterface").read_text())
        with tempfile.TemporaryDirectory() as folder:
            printed = self.toolchain.cloud_kit(pathlib.Path(folder))
        self.write("CloudKit", self.header("CloudKit") + interfaces.cloud_kit(printed))
        include = self.folder / "usr" / "include"
        shutil.copytree(headers, include)
        (include / "DarwinAll.h").write_text(
            "".join(f"#if __has_include(<{name}.h>)\n#include <{name}.h>\n#endif\n" for name in HEADERS))
        (include / "module.modulemap").write_text(
            'module Darwin [system] [extern_c] { header "DarwinAll.h" export * }\n')
        if self.system == "visionos":
            (self.folder / "SDKSettings.json").write_text(json.dumps(VISION_SETTINGS))
        self.compile(MODULES + by_hand + ["CloudKit"])
        (self.folder / "complete").touch()

    def compile(self, modules):
        """Compiles interfaces, which are in the order of their imports.

        Raises Broken for one that does not compile.
        """
        for module in modules:
            interface = self.swift / f"{module}.swiftmodule" / self.file("swiftinterface")
            own = ["-parse-stdlib"] if module == "Swift" else []
            done = run(
                "swiftc", "-frontend", "-compile-module-from-interface", str(interface), "-o",
                str(interface.with_name(self.file("swiftmodule"))), "-module-name", module, *own, *self.flags())
            if done.returncode:
                errors = [line for line in done.stderr.split("\n") if ": error: " in line] or [done.stderr[-500:]]
                raise Broken(f"{module} for {self.system}:\n" + "\n".join(errors[:20]))

    def foundation(self):
        names = {
            "FoundationEssentials.": "Foundation.", "FoundationInternationalization.": "Foundation.",
            "Glibc.": "Darwin.", "Swift.RegexComponent": "_StringProcessing.RegexComponent",
            "Swift.Regex<": "_StringProcessing.Regex<",
            "Swift.CustomConsumingRegexComponent": "_StringProcessing.CustomConsumingRegexComponent",
        }
        essentials = interfaces.declarations(self.toolchain.printed("FoundationEssentials"), names)
        # Apple's Foundation has the parser of XML too.
        rest = "".join(
            interfaces.declarations(self.toolchain.printed(module), names | {f"{module}.": "Foundation."})
            for module in ["Foundation", "FoundationXML"])
        by_hand = (STAND_INS / "Foundation.swiftinterface").read_text()
        known = {name for name, _ in interfaces.blocks(essentials + by_hand) if name}
        known |= set(interfaces.ALIAS.findall(essentials))
        return essentials + by_hand + interfaces.chosen(rest, REST_OF_FOUNDATION, known)

    def header(self, module):
        return interfaces.header(module, self.triple, self.toolchain.compiler)

    def write(self, module, text):
        folder = self.swift / f"{module}.swiftmodule"
        folder.mkdir(parents=True, exist_ok=True)
        if self.system != "macos":
            # Only object code needs the bodies, which take most of the time. The compiler heeds the flag only here.
            text = text.replace(" -target ", " -experimental-skip-all-function-bodies -target ", 1)
        (folder / self.file("swiftinterface")).write_text(text)

    def file(self, kind):
        """The name of the module's file of a kind, which the compiler looks for."""
        return re.sub(r"(-apple-[a-z]+)[\d.]+", r"\1", self.triple).replace("macosx", "macos") + "." + kind

    def flags(self):
        return [
            "-target", self.triple, "-sdk", str(self.folder), "-resource-dir", str(self.toolchain.resources),
            "-I", str(self.folder / "usr" / "lib" / "swift"), "-module-cache-path", str(self.cache),
            "-plugin-path", str(self.toolchain.plugins), "-disable-objc-interop"]


# Declarations of iOS count for visionOS, by this map of versions.
VISION_SETTINGS = {
    "Version": "1.0", "MaximumDeploymentTarget": "2.99",
    "SupportedTargets": {"xros": {"Archs": ["arm64", "x86_64"]}},
    "VersionMap": {
        "iOS_xrOS": {f"{ios}.0": "1.0" for ios in range(2, 17)} | {
            f"{ios}.{minor}": f"{vision}.{minor}" for ios, vision in [(17, 1), (18, 2), (26, 26)] for minor in range(5)},
        "xrOS_iOS": {"1.0": "17.0", "2.0": "18.0", "26.0": "26.0"},
    },
}
