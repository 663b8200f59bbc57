"""Interfaces of the toolchain's modules, in a form that the compiler takes for the modules of another system."""

import re

LINUX = "x86_64-unknown-linux-gnu"


def retargeted(text, triple):
    """An interface of Linux for another target. The interface itself is not checked for availability."""
    text = text.replace(f"-target {LINUX}", f"-target {triple} -disable-availability-checking", 1)
    # Optimizing the bodies of the standard library takes a third of the time.
    text = text.replace(" -O ", " -Onone ", 1)
    text = re.sub(r"^import Glibc$", "import Darwin", text, flags=re.M).replace("Glibc.", "Darwin.")
    # @backDeployed requires a body, which an interface of Linux omits where it is not inlinable.
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not line.strip().startswith("@backDeployed"):
            continue
        declaration = next(
            line for line in lines[number:]
            if re.search(r"\b(func|var|init|subscript)\b", re.sub(r"@\w+\([^)]*\)", "", line)))
        if not declaration.rstrip().endswith("{"):
            lines[number] = re.sub(r"@backDeployed\([^)]*\)", "", line)
    return "\n".join(lines)


def darwin_overlay(glibc, triple):
    """The Swift part of Darwin's C library, made from that of Glibc: both have `errno`, `stat`, `open` and others."""
    top, body = glibc.split("import Swift\n", 1)
    top = retargeted(top, triple).replace("-module-name Glibc", "-module-name Darwin")
    body = re.sub(r"public typealias sighandler_t.*?\n(?=@available\(macOS 13)", "", body, count=1, flags=re.S)
    body = body.replace("import SwiftOverlayShims\n", "").replace("SwiftOverlayShims.", "Darwin.")
    body = body.replace("SwiftGlibc", "Darwin").replace("Glibc.", "Darwin.")
    # Source: Platform.swift and TiocConstants.swift in stdlib/public/Platform of github.com/swiftlang/swift.
    signals = {"SIG_DFL": "sig_t?", "SIG_IGN": "sig_t", "SIG_ERR": "sig_t", "SIG_HOLD": "sig_t"}
    body += "".join(f"public var {name}: Darwin.{type} {{ get }}\n" for name, type in signals.items())
    body += "".join(f"public var {name}: Swift.UInt {{ get }}\n" for name in ["TIOCGWINSZ", "TIOCSWINSZ"])
    # The importer omits this macro of an enumerator here. On a Mac such macros exist in Swift
    # (forums.swift.org/t/improving-float-random-in/33289/12).
    body += "public var CLOCK_THREAD_CPUTIME_ID: Darwin.clockid_t { get }\n"
    return top + "import Swift\n" + body


def header(module, triple, compiler):
    return (
        f"// swift-interface-format-version: 1.0\n// swift-compiler-version: {compiler}\n"
        f"// swift-module-flags: -target {triple} -disable-availability-checking -disable-objc-interop "
        f"-enable-library-evolution -swift-version 5 -module-name {module}\n")


def declarations(printed, names):
    """Printed declarations in the form of an interface: without comments and bodies, and with accessors.

    The names of modules are replaced by those of `names`.
    """
    printed = re.sub(r"/\*.*?\*/", "", printed, flags=re.S)
    lines, whole = [], ""
    for line in printed.split("\n"):
        if line.strip().startswith("//") or line.startswith("import "):
            continue
        whole = whole + " " + line.strip() if whole else line
        if whole.count("(") <= whole.count(")"):
            lines.append(whole)
            whole = ""
    kept = []
    for line in lines:
        line = re.sub(
            r"@inlinable |@_alwaysEmitIntoClient |@_transparent |@inline\(__always\) |@usableFromInline |"
            r"(internal|private|package|fileprivate)\(set\) ", "", line)
        line = re.sub(r"\boverride public init\(\)|\bpublic override init\(\)", "public init()", line)
        for old, new in names.items():
            line = line.replace(old, new)
        text = line.strip()
        if not text or ("CDispatch" in line and not text.endswith("{")):
            continue
        # Spans need newer systems, but are printed without that.
        if re.search(r"\b(Mutable)?(Output)?(Raw|UTF8)?Span\b", line) and re.search(r"func|var |\{ get", line):
            continue
        lacks_accessors = not text.endswith("}") and not text.startswith("@available") and (
            re.search(r"\bsubscript\b", line)
            or re.match(r"(@\w+(\([^)]*\))?\s+)*(public|open)\b.*\bvar [`\w$]+\s*:", text))
        kept.append(line.rstrip() + " { get set }" if lacks_accessors else line)
    # This conformance is printed twice.
    return re.sub(
        r"extension Foundation.URL.Template.Element : Swift.CustomStringConvertible \{\n\}",
        "extension Foundation.URL.Template { }", "\n".join(kept)) + "\n"


ALIAS = re.compile(r"^public typealias (\w+)", re.M)
OPENING = re.compile(
    r"^(?:[@\w() ]*\s)?(class|struct|enum|protocol|extension|actor) (?:Foundation\.|Swift\.|CloudKit\.)?(\w+)")


def blocks(text):
    """The top-level declarations: the name of each, or of the type that it extends, and its lines."""
    result, lines = [], []
    for line in text.split("\n"):
        lines.append(line)
        if line.startswith((" ", "\t")) or line.startswith("@") and not OPENING.match(line) or line.endswith("{"):
            continue
        found = next((match for match in map(OPENING.match, lines) if match), None)
        result.append((found[2] if found else None, lines))
        lines = []
    return result


def cloud_kit(printed):
    """The interface of the stand-in for CloudKit without its header, and without the servers, which only tests use."""
    body = printed[printed.index("\nimport ") + 1:].replace("FoundationEssentials.", "Foundation.")
    kept = [lines for name, lines in blocks(body) if not (name or "").startswith("StandIn")]
    return "\n".join(line for lines in kept for line in lines) + "\n"


def chosen(text, names, known):
    """The declarations of some types, without the members that use types other than these and the known ones."""
    known = known | set(names)
    kept = []
    for name, lines in blocks(text):
        if name not in names:
            continue
        opening = next(number for number, line in enumerate(lines) if OPENING.match(line))
        lines[opening] = superclasses(lines[opening], known)
        depth, member, members = 0, [], []
        for line in lines[opening + 1:-1]:
            member.append(line)
            depth += line.rstrip().endswith("{") - (line.strip() == "}")
            if depth == 0 and not re.fullmatch(r"\s*@[\w ]+(\(.*\))?", line):
                used = set(re.findall(r"\b(?:Foundation|Swift\.String)\.(\w+)", " ".join(member)))
                if used - {"Index", "Encoding", "CompareOptions"} <= known and "override" not in line:
                    # The superclass has this initializer.
                    own = "override public init()" if "Foundation.NSObject" in lines[opening] else "public init()"
                    members += [re.sub(r"\bpublic init\(\)", own, line) for line in member]
                member = []
        kept += lines[: opening + 1] + members + ["}"] if lines[opening].endswith("{") else lines
    return "\n".join(kept) + "\n"


def superclasses(line, known):
    """The first line of a declaration, without the protocols that are not known."""
    match = re.match(r"(.*?) : ([^{]*?)( where .*)?( \{.*)$", line)
    if not match:
        return line
    kept = [
        type for type in match[2].split(", ")
        if not type.removeprefix("@unchecked ").startswith("Foundation.")
        or type.removeprefix("@unchecked ").split(".")[1] in known]
    return match[1] + (" : " + ", ".join(kept) if kept else "") + (match[3] or "") + match[4]
