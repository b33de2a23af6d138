#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: fast-export-tar.py TITLE <TAR

Writes the files of a tarball, without its top directory, as one commit on the branch base, for
git fast-import. The commit depends on nothing else.
"""
import sys
import tarfile


def main():
    out = sys.stdout.buffer
    title = (sys.argv[1] + "\n").encode()
    out.write(b"commit refs/heads/base\ncommitter %s <linux@localhost> 0 +0000\ndata %d\n%s\n" %
              (title.split()[0], len(title), title))
    with tarfile.open(fileobj=sys.stdin.buffer, mode="r|") as tar:
        for member in tar:
            if member.issym():
                mode, data = b"120000", member.linkname.encode()
            elif member.isreg():
                mode = b"100755" if member.mode & 0o100 else b"100644"
                data = tar.extractfile(member).read()
            else:
                continue
            name = member.name.split("/", 1)[1].encode()
            out.write(b"M %s inline %s\ndata %d\n%s\n" % (mode, name, len(data), data))


if __name__ == "__main__":
    main()
