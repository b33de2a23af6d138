#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: overlay.py TOP BASE PATCHED TREE
       overlay.py --list TOP

Lays this project's files (TOP) and the patched files of the base (PATCHED) over TREE.
A file that is there with the same content is not touched. A file that was laid earlier and
is no longer wanted goes back to what BASE has, or away. TREE/.laid remembers what was laid,
so a file that somebody edited in TREE is noticed and not overwritten.
--list prints which files of TOP would be laid.
"""
import hashlib
import os
import shutil
import subprocess
import sys

# The parts of the checkout that belong to the kernel. Everything else (Makefile, scripts/, patches/,
# .ci/ ...) is the workflow. The kernel has files of the same names, which must not be replaced.
KERNEL_DIRS = {
    "arch", "block", "crypto", "Documentation", "drivers", "fs", "include", "init", "io_uring",
    "ipc", "kernel", "lib", "mm", "net", "samples", "security", "sound", "tools", "usr", "virt",
}


def digest(path):
    """Content and executable bit; None where there is no file."""
    try:
        with open(path, "rb") as f:
            data = f.read()
    except FileNotFoundError:
        return None
    mode = b"x" if os.stat(path).st_mode & 0o100 else b"-"
    return hashlib.sha256(mode + data).hexdigest()


def our_files(top):
    """Files that git tracks or would add, as {path: source}."""
    out = subprocess.run(
        ["git", "-C", top, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, stdout=subprocess.PIPE).stdout.decode()
    return {p: os.path.join(top, p) for p in out.split("\0")
            if p.split("/")[0] in KERNEL_DIRS and os.path.isfile(os.path.join(top, p))}


def patched_files(patched):
    found = {}
    for where, dirs, files in os.walk(patched):
        if where == patched:
            dirs[:] = [d for d in dirs if d != ".pc"]
            files = [f for f in files if f != ".key"]
        for name in files:
            full = os.path.join(where, name)
            found[os.path.relpath(full, patched)] = full
    return found


def place(source, target):
    """Copies atomically, with a new time stamp: make notices it, and Ctrl-C does no harm."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    part = target + ".laying"
    shutil.copyfile(source, part)
    shutil.copymode(source, part)
    os.replace(part, target)


def take_away(target, tree):
    os.unlink(target)
    parent = os.path.dirname(target)
    while parent != tree and not os.listdir(parent):
        os.rmdir(parent)
        parent = os.path.dirname(parent)


def read_laid(path):
    """{file: set of digests it was given}"""
    laid = {}
    try:
        with open(path) as f:
            for line in f:
                value, name = line.rstrip("\n").split(" ", 1)
                laid.setdefault(name, set()).add(value)
    except FileNotFoundError:
        pass
    return laid


def refresh_pc(patched, tree):
    """quilt's records, so that quilt works in TREE."""
    source, target = os.path.join(patched, ".pc"), os.path.join(tree, ".pc")
    key, had = os.path.join(patched, ".key"), os.path.join(tree, ".patches-key")
    if digest(key) == digest(had):
        return
    shutil.rmtree(target, ignore_errors=True)
    if os.path.isdir(source):
        shutil.copytree(source, target)
    shutil.copyfile(key, had)


def fail(text, names):
    print("error: " + text + "\n    " + "\n    ".join(sorted(names)), file=sys.stderr)
    sys.exit(1)


def main():
    if sys.argv[1] == "--list":
        print("\n".join(sorted(our_files(sys.argv[2]))))
        return
    top, base, patched, tree = (os.path.abspath(a) for a in sys.argv[1:])
    ours, changed = our_files(top), patched_files(patched)

    clash = [p for p in ours if p in changed or os.path.exists(os.path.join(base, p))]
    if clash:
        fail("these files are the base's; change them by a patch in patches/:", clash)

    want = {**ours, **changed}
    record = os.path.join(tree, ".laid")
    laid = read_laid(record)
    digests = {p: digest(source) for p, source in want.items()}

    todo, edited = [], []
    for path in sorted(set(want) | set(laid)):
        have = digest(os.path.join(tree, path))
        original = digest(os.path.join(base, path))
        goal = digests.get(path, original)
        if have == goal:
            continue
        if have is not None and have != original and have not in laid.get(path, ()):
            edited.append(path)
        todo.append((path, goal))
    if edited:
        fail("edited in %s, where only make writes; move the change here (quilt refresh for\n"
             "a patch), or delete the file there:" % os.path.relpath(tree), edited)

    # Written first: if this is interrupted, the next run knows both contents.
    with open(record, "a") as f:
        for path, goal in todo:
            f.write("%s %s\n" % (goal, path))
    for path, goal in todo:
        target = os.path.join(tree, path)
        if path in want:
            place(want[path], target)
        elif goal is not None:
            place(os.path.join(base, path), target)
        else:
            take_away(target, tree)
    refresh_pc(patched, tree)
    with open(record + ".new", "w") as f:
        for path in sorted(want):
            f.write("%s %s\n" % (digests[path], path))
    os.replace(record + ".new", record)
    if todo:
        print("==> %s: %d of our %d files written" % (os.path.relpath(tree), len(todo), len(want)))


if __name__ == "__main__":
    main()
