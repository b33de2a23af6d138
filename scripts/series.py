#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: series.py TOP PRISTINE OUTPUT VERSION AUTHOR MAIL

Writes this project as a git format-patch series against the pristine base into OUTPUT, for
git am to apply.

Each file in scripts/series.d is one patch: headers that say which of our files and which of
patches/ go into it, then its message. 00-cover is the cover letter. Headers:

  Subject:   first line of the message
  Files:     patterns of our files; where several patches name a file, the last one takes it
  Patches:   names in patches/; without a Subject the first one gives the message
  Do:        remove-old   deletes the base's kprobes (scripts/strip-list.txt)
             kprobes-off  CONFIG_KPROBES depends on BROKEN, as long as files are missing
             kprobes-on   reverts that

PRISTINE is a bare repository with one branch, base: the tarball, imported once. It holds the
old kprobes, but only as objects: files go from the tarball through git's plumbing and are never
checked out. OUTPUT/git borrows its objects and has the branch series.

No patch shows deleted text. format-patch -D leaves it out, but git apply does not delete a text
file unless the patch has all of it. For a binary file it needs the object's name only, so deletions
are written as those of binary files. They delete exactly the file with that content.
"""
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tarfile

TARBALL = "/usr/src/linux-source-6.12.tar.xz"
SWITCH = ("config KPROBES\n\tbool \"Kprobes\"\n", "\tdepends on BROKEN\n")
# Rewritten files are shown as removed and created (-B), and what is removed is not printed (-D).
FORMAT = ["-D", "-B30%", "--no-renames", "--full-index", "--cover-letter",
          "--cover-from-description=subject", "--subject-prefix=PATCH"]


class Git:
    """The bare repository and an index of this program."""

    def __init__(self, repo, index, identity):
        self.repo = repo
        name, mail = identity
        self.env = dict(os.environ, GIT_DIR=repo, GIT_INDEX_FILE=index, GIT_AUTHOR_NAME=name,
                        GIT_AUTHOR_EMAIL=mail, GIT_COMMITTER_NAME=name, GIT_COMMITTER_EMAIL=mail)
        self.env.pop("GIT_WORK_TREE", None)

    def __call__(self, *args, data=None):
        done = subprocess.run(["git"] + list(args), env=self.env, input=data,
                              stdout=subprocess.PIPE)
        if done.returncode:
            sys.exit("error: git %s failed" % args[0])
        return done.stdout.decode(errors="replace").strip()


def import_base(repo, version):
    """Makes the pristine commit out of the tarball, once."""
    if os.path.isdir(repo):
        return
    print("==> importing the base into %s (once, about a minute)" % os.path.basename(repo))
    part = repo + ".partial"
    shutil.rmtree(part, ignore_errors=True)
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=base", part], check=True)
    feed = subprocess.Popen(
        ["git", "--git-dir", part, "-c", "core.compression=1", "fast-import", "--quiet"],
        stdin=subprocess.PIPE)
    out = feed.stdin
    message = ("Linux 6.12, Debian's linux-source-6.12 %s\n" % version).encode()
    out.write(b"commit %s\ncommitter linux-source-6.12 <linux@localhost> 0 +0000\ndata %d\n%s\n" %
              (b"refs/heads/base", len(message), message))
    with tarfile.open(TARBALL, "r|xz") as tar:
        for member in tar:
            name = member.name.split("/", 1)[-1]
            if member.issym():
                mode, data = b"120000", member.linkname.encode()
            elif member.isreg():
                mode = b"100755" if member.mode & 0o100 else b"100644"
                data = tar.extractfile(member).read()
            else:
                continue
            out.write(b"M %s inline %s\ndata %d\n" % (mode, name.encode(), len(data)))
            out.write(data)
            out.write(b"\n")
    out.close()
    if feed.wait():
        sys.exit("error: git fast-import failed")
    os.rename(part, repo)


def borrow(repo, output):
    """OUTPUT/git, without a copy of the base."""
    mine = os.path.join(output, "git")
    known = subprocess.run(["git", "--git-dir", mine, "cat-file", "-e", "base^{tree}"],
                           stderr=subprocess.DEVNULL).returncode == 0
    if not known:
        shutil.rmtree(mine, ignore_errors=True)
        subprocess.run(["git", "clone", "-q", "--bare", "--shared", repo, mine], check=True)
    return mine


class Patch:
    def __init__(self, path):
        self.name = os.path.basename(path)
        self.subject, self.files, self.patches, self.do = "", [], [], []
        with open(path) as f:
            head, _, self.body = f.read().rstrip("\n").partition("\n\n")
        for line in re.sub(r"\n[ \t]+", " ", head).split("\n"):
            key, _, value = line.partition(":")
            if key == "Subject":
                self.subject = value.strip()
            elif key in ("Files", "Patches", "Do"):
                setattr(self, key.lower(), value.split())
            elif key != "SPDX-License-Identifier":
                sys.exit("error: %s: unknown header %s" % (path, key))

    def borrow_message(self, folder):
        """A patch of patches/ has a subject, a blank line, and its reason up to "---"."""
        with open(os.path.join(folder, self.patches[0])) as f:
            head, _, self.body = f.read().split("\n---\n")[0].partition("\n\n")
        self.subject = head.partition("Subject: ")[2].strip()

    def takes(self, path):
        return any(path.startswith(p) if p.endswith("/") else fnmatch.fnmatchcase(path, p)
                   for p in self.files)


def read_lines(path):
    try:
        with open(path) as f:
            return [w[0] for w in (line.split("#")[0].split() for line in f) if w]
    except FileNotFoundError:
        return []


def assign(patches, ours, series):
    """Assigns each file and each quilt patch to exactly one patch of the series."""
    shares = {p.name: [] for p in patches}
    left = []
    for path in ours:
        takers = [p for p in patches if p.takes(path)]
        if takers:
            shares[takers[-1].name].append(path)
        else:
            left.append(path)
    named = [q for p in patches for q in p.patches]
    if left:
        sys.exit("error: no file in scripts/series.d takes:\n    " + "\n    ".join(left))
    if sorted(named) != sorted(series):
        sys.exit("error: scripts/series.d must name the patches of patches/series, each once:\n    "
                 + " ".join(sorted(set(named) ^ set(series)) or ["one is there twice"]))
    return shares


def switch(git, on):
    """Edits arch/Kconfig in the index."""
    entry, text = SWITCH
    old = git("cat-file", "blob", ":arch/Kconfig") + "\n"
    new = old.replace(entry + text, entry) if on else old.replace(entry, entry + text)
    if new == old:
        sys.exit("error: arch/Kconfig does not look as expected; see SWITCH")
    blob = git("hash-object", "-w", "--stdin", data=new.encode())
    git("update-index", "--cacheinfo", "100644,%s,arch/Kconfig" % blob)


def commit(git, patch, files, parent, top, old):
    if "remove-old" in patch.do:
        gone = "".join("0 %s\t%s\n" % ("0" * 40, p) for p in old)
        git("update-index", "--index-info", data=gone.encode())
    for name in patch.patches:
        git("apply", "--cached", "-p1", os.path.join(top, "patches", name))
    if files:
        git("--work-tree", top, "update-index", "--add", "-z", "--stdin",
            data="\0".join(files).encode())
    for what in ("off", "on"):
        if "kprobes-" + what in patch.do:
            switch(git, what == "on")
    message = "%s\n\n%s\n\nSigned-off-by: %s <%s>\n" % (
        patch.subject, patch.body.strip(), git.env["GIT_AUTHOR_NAME"], git.env["GIT_AUTHOR_EMAIL"])
    return git("commit-tree", git("write-tree"), "-p", parent, data=message.encode())


STANZA = re.compile(r"^diff --git a/(\S+) b/\1\n(.*?)(?=^diff --git |^-- $)", re.S | re.M)
DELETED = re.compile(r"deleted file mode (\d+)\nindex (\w{40})\.\.0{40}\n\Z")
REWRITTEN = re.compile(r"(?:old mode (\d+)\nnew mode (\d+)\n)?dissimilarity index \d+%\n"
                       r"index (\w{40})\.\.(\w{40})(?: (\d+))?\n--- .*\n\+\+\+ .*\n@@ \S+ (\S+) @@\n")
CHANGED = re.compile(r"index (\w{40})\.\.(\w{40}) (\d+)\n")


def deletion(path, mode, blob):
    """Deletes as of a binary file: names the object, and does not show its content."""
    return ("diff --git a/%s b/%s\ndeleted file mode %s\nindex %s..%s\n"
            "GIT binary patch\nliteral 0\nHcmV?d00001\n\n" % (path, path, mode, blob, "0" * 40))


def creation(path, mode, blob, added):
    return ("diff --git a/%s b/%s\nnew file mode %s\nindex %s..%s\n--- /dev/null\n+++ b/%s\n"
            "@@ -0,0 %s @@\n" % (path, path, mode, "0" * 40, blob, path, added))


def replaced(git, path, changed):
    """A file that git shows as changes of an old one: shows none of the old lines."""
    old, new, mode = changed.groups()
    lines = git("cat-file", "blob", new).split("\n")
    return deletion(path, mode, old) + creation(path, mode, new, "+1,%d" % len(lines)) + \
        "".join("+%s\n" % line for line in lines)


def appliable(git, old, stanza):
    """One file's part of a mail of format-patch -D -B, for git apply. @old: {path: blob}"""
    path, rest = stanza.groups()
    deleted, rewritten = DELETED.match(rest), REWRITTEN.match(rest)
    changed = CHANGED.match(rest)
    if changed and old.get(path) == changed.group(1):
        return replaced(git, path, changed)
    if deleted:
        return deletion(path, *deleted.groups())
    if rewritten:
        before, after, old, new, mode, added = rewritten.groups()
        return deletion(path, before or mode, old) + creation(path, after or mode, new, added) + \
            rest[rewritten.end():]
    return stanza.group(0)


def rewrite(git, path, old):
    with open(path, errors="surrogateescape", newline="") as f:
        mail = f.read()
    with open(path, "w", errors="surrogateescape", newline="") as f:
        f.write(STANZA.sub(lambda stanza: appliable(git, old, stanza), mail))


def printed_old_lines(path, old):
    """Lines of the old files that a patch file would show."""
    shown, current = [], None
    with open(path, errors="replace") as f:
        for line in f:
            m = re.match(r"diff --git a/(\S+) ", line)
            if m:
                current = m.group(1)
            elif line == "-- \n":
                break                   # the signature
            elif current in old and line.startswith("-") and not line.startswith("---"):
                shown.append("%s: %s" % (os.path.basename(path), current))
    return sorted(set(shown))


def load(top):
    """The cover letter, the patches, and which of our files each takes."""
    folder = os.path.join(top, "scripts", "series.d")
    cover, *patches = [Patch(os.path.join(folder, n)) for n in sorted(os.listdir(folder))]
    for patch in patches:
        if not patch.subject:
            patch.borrow_message(os.path.join(top, "patches"))
    listing = subprocess.run([os.path.join(top, "scripts", "overlay.py"), "--list", top],
                             check=True, stdout=subprocess.PIPE).stdout.decode()
    series = read_lines(os.path.join(top, "patches", "series"))
    return cover, patches, assign(patches, listing.split(), series)


def main():
    top, pristine, output = (os.path.abspath(a) for a in sys.argv[1:4])
    version, name, mail = sys.argv[4:7]
    os.makedirs(output, exist_ok=True)
    import_base(pristine, version)
    git = Git(borrow(pristine, output), os.path.join(output, ".index"), (name, mail))
    # Dates of the last commit here, so that the same sources make the same series.
    date = subprocess.run(["git", "-C", top, "log", "-1", "--format=@%ct +0000"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode().strip()
    git.env.update(GIT_AUTHOR_DATE=date or "@0 +0000", GIT_COMMITTER_DATE=date or "@0 +0000")

    cover, patches, shares = load(top)
    old = read_lines(os.path.join(top, "scripts", "strip-list.txt"))

    git("read-tree", "base")
    tip = git("rev-parse", "base")
    for patch in patches:
        tip = commit(git, patch, shares[patch.name], tip, top, old)
    git("update-ref", "refs/heads/series", tip)

    for stale in os.listdir(output):
        if stale.endswith(".patch"):
            os.unlink(os.path.join(output, stale))
    text = cover.body.strip().format(version=version)
    git("config", "branch.series.description", cover.subject + "\n\n" + text)
    git("format-patch", *FORMAT, "-o", output, "base..series")
    mails = sorted(os.path.join(output, n) for n in os.listdir(output) if n.endswith(".patch"))
    blobs = {line.split("\t")[1]: line.split()[2]
             for line in git("ls-tree", "-r", "base", "--", *old).splitlines()}
    for path in mails:
        rewrite(git, path, blobs)
    shown = [s for path in mails for s in printed_old_lines(path, set(old))]
    if shown:
        sys.exit("error: these show lines of the old files:\n    " + "\n    ".join(shown))
    print("==> %d patches and a cover letter in %s" % (len(patches), os.path.relpath(output)))


if __name__ == "__main__":
    main()
