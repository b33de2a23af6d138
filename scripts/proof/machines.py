# SPDX-License-Identifier: GPL-2.0
"""What the sweep must know of instructions, by the names of hitpath.py's machines.

Instructions are told apart by what objdump prints of them: the mnemonic, a tab, and the operands.
"""
import re
import struct


class Machine:
    """@branch: mnemonics behind which execution may go on elsewhere. @jump: those that may end a function in
    another one. @calls: lines of these that are calls all the same.
    @pointer: lines of jumps to what is in a register, but returns. @nowhere: names of thunks that
    lead to where the machine wants. @ends: mnemonics behind which execution does not go on. @filler: fills
    room behind them.
    @writes: lines, of any mnemonic, that write the program counter.
    @skips: jumps over data, which they leave the address of.
    @data: what objdump takes for data, in place of a mnemonic. Instructions that it does not know are
    something else.
    @nops: words of four bytes that a jump label may be.
    @context: lines that write the preemption count, which says in which context the CPU is. @counts: where the
    count is an ordinary word of memory, functions that write it.
    @switches: lines that change what memory C code would see: in their functions each post-handler is missed.
    @decoder: functions that decode what is probed.
    @reasons: by the keywords of reasons, what a line must match. @bytes: the same, for the bytes.
    @pad: bytes that an entry begins with, behind which a probe on it is.
    @exclusive: lines that begin a sequence that no exception may interrupt, and lines that end it.
    @labels, @bugs, @exceptions: tables: size of an entry, and whether it has relative addresses of 32 bits.
    @word: what absolute ones are, if that does not follow from the kernel's width.
    @uncalled: functions that are jumped to, with the address to return to elsewhere than calls have it.
    @label_slot: a jump label has room for the instruction in its delay slot.
    @fixups: tables of sites that are patched while the kernel runs: edges, and how many words each site has.
    @switch: the word of a jump that may have a table behind it, of offsets from where that begins.
    @site: bytes of a function's entry that ftrace patches, from where its table says. @entry: how many of them
    a probe there takes for one instruction, if more than the first."""
    nowhere = returns = filler = re.compile("(?!)")
    ends = context = calls = pointer = skips = writes = switches = filler
    data = re.compile(r"\.(\.+|byte|short|[248]byte|half|h?word|long|quad|dword)$")
    counts = re.compile(r"(__)?irq_(enter|exit)|nmi_|.*softirq|__local_bh_|_raw_(spin|read|write)_unlock_bh")
    decoder = filler
    reasons, bytes, pad = {}, {}, b"(?!)"
    exclusive = None
    labels, bugs, exceptions = (16, True), (12, True), (12, True)
    word = None
    site, entry = 4, 0
    order, length = "<", 4
    uncalled, label_slot = (), False
    fixups, switch = (), None
    delays = False      # has an instruction behind a branch be executed in front of its target
    objdump = None      # that of hitpath.py

    @classmethod
    def label(cls, addr, code, target):
        """The length of a jump label's nop, or jump to the target, at the begin of the bytes; 0 if neither."""
        if len(code) < cls.length:
            return 0
        word, = struct.unpack_from(cls.order + "I", code)
        return cls.length if word in cls.nops or cls.leads(word, addr) == target else 0


def signed(value, bits):
    return (value & ((1 << bits) - 1)) - ((value & 1 << (bits - 1)) << 1)


class X86(Machine):
    branch = re.compile(r"(j|call|ret|lret|lcall|ljmp|iret|loop|ud|int|sys|hlt|xbegin|xabort|\(bad)")
    jump = re.compile(r"j")
    pointer = re.compile(r"jmp\w*\s+\*")
    # To another function. What is behind a thunk or a static call is not known.
    returns = re.compile(r"__x86_return_thunk|.*_return_thunk")
    nowhere = re.compile(r"__x86_indirect_|__SCT__")
    ends = re.compile(r"(jmp|ljmp|ret|lret|iret|ud|int3|sysret)")
    filler = re.compile(r"int3$")
    context = re.compile(r"%gs:[^,]*<(pcpu_hot\+0x8|__preempt_count)>$")
    counts = Machine.filler
    decoder = re.compile(r"(insn|inat)_")
    # A prefix, of which the kernel's instructions have one at most.
    legacy = rb"^[\x66\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65]*[\x40-\x4f]?"
    # The second is what the kernel makes of one that no indirect branch leads to.
    landing_pad = rb"\xf3\x0f\x1e[\xfa\xfb]"
    pad = landing_pad + rb"|\x66\x0f\x1f\x00"
    bytes = {
        "landing-pad": landing_pad,
        # int3, int1, ud2, ud1
        "trap": rb"[\xcc\xf1]|\x0f[\x0b\xb9]",
        # iret, far ret, int, syscall, sysret, sysenter, sysexit; swapgs, mov to a segment; far call and jump
        "level":
            rb"[\xcf\xca\xcb\xcd\x8e]|\x0f[\x05\x07\x34\x35\xa1\xa9]|\x0f\x01\xf8|\x0f\x00[\xf0-\xf7\x30-\x37]|"
            rb"\xff[\x18-\x1f\x28-\x2f\x58-\x5f\x68-\x6f\x98-\x9f\xa8-\xaf]",
        # vmcall, vmlaunch, vmresume, vmrun, vmmcall, encls, enclu, rsm
        "world": rb"\x0f\x01[\xc1-\xc3\xcf\xd7\xd8\xd9]|\x0f\xaa",
        # hlt, mwait, mwaitx, umwait, tpause
        "sleep": rb"\xf4|\x0f\x01[\xc9\xfb]|\x0f\xae[\xf0-\xf7]",
        # sti, pop ss, mov ss
        "shadow": rb"\xfb|\x17|\x8e[\x10-\x17\x50-\x57\x90-\x97\xd0-\xd7]",
    }
    site = 5

    @classmethod
    def label(cls, addr, code, target):
        if code[:2] == b"\x66\x90" or code[:1] == b"\xeb":
            return 2 if code[:1] == b"\x66" or addr + 2 + signed(code[1], 8) == target else 0
        if code[:5] == b"\x0f\x1f\x44\x00\x00":
            return 5
        is_jump = code[:1] == b"\xe9" and len(code) >= 5
        return 5 if is_jump and addr + 5 + struct.unpack_from("<i", code, 1)[0] == target else 0


class I386(X86):
    labels = 12, True
    # And far calls and jumps to where the instruction says.
    bytes = {**X86.bytes, "level": X86.bytes["level"] + rb"|[\x9a\xea]"}
    context, counts = Machine.context, Machine.counts


class Arm64(Machine):
    branch = re.compile(r"(bl?(\.\w+|r\w*)?|cbn?z|tbn?z|ret\w*|eret\w*|brk|hlt|svc|hvc|smc|udf)$")
    jump = re.compile(r"(b(\.\w+)?|cbn?z|tbn?z)$")
    pointer = re.compile(r"br\w*\t")
    reasons = {
        "trap": r"(brk|hlt)\t",
        "level": r"eret|svc\t|dcps|drps|(msr\t|mrs\t\w+, )(spsel|spsr_el1|elr_el1|esr_el1|far_el1|ttbr[01]_el1)",
        "world": r"(hvc|smc)\t",
        "sleep": r"(wf[ei]t?)\b",
        "exclusive": r"movprfx|cpy|set[pm]|tstart",
        "form": r"(pac|aut|reta|bra|blra)",
    }
    exclusive = r"ld(a)?xr?p?[bh]?\b|ld(a)?xr", r"st(l)?x[rp]"
    site, nops = 16, (0xd503201f,)

    @staticmethod
    def leads(word, addr):
        return addr + 4 * signed(word, 26) if word >> 26 == 5 else None


class Riscv(Machine):
    branch = re.compile(r"(j\w*|ret|b\w+|call|tail|ebreak|ecall|[sm]ret|wfi|unimp)$")
    jump = re.compile(r"(j|b\w+)$")
    pointer = re.compile(r"jr\t")
    reasons = {
        "trap": r"(c\.)?(ebreak|unimp)\b",
        "level": r"[smd]ret\b|csr\w*\t(.*,)?(sepc|scause|stval|hstatus|htval|htinst|stvec|sscratch|satp)\b",
        "world": r"ecall|h[ls]v",
        "sleep": r"wfi|wrs|pause",
    }
    exclusive = r"lr\.", r"sc\."
    site, entry, nops = 16, 8, (0x13,)

    @staticmethod
    def leads(word, addr):
        if word & 0xfff != 0x6f:
            return None
        offset = (word >> 31 << 20) | (word >> 12 & 0xff) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3ff) << 1
        return addr + signed(offset, 21)


class S390(Machine):
    branch = re.compile(r"(b|j|cl?g?[ir]?r?[jb]|lpsw|svc|p[crt]i?$|rp$|sie$|mc$|trap)")
    jump = re.compile(r"(j|br|cl?g?[ir]?r?j)(?!asl?$|as$)")
    pointer = re.compile(r"b\w*\t.*%r(?!14$)\d+$")
    skips = re.compile(r"bras\t")
    switches = re.compile(r"(sacf?|spka)\t")
    nowhere = re.compile(r"__s390_indirect_jump_r(?!14)")
    returns = re.compile(r"__s390_indirect_jump_r14")
    reasons = {
        "trap": r"\.short\t0x000[12]|mc\t|trap",
        "level": r"pr$|pr\t|sam(24|31|64)|svc|bsm|bassm|lpsw|st[no]sm|p[ct]i?\t|bakr|bs[ga]\t|rp\t|lasp|lctlg?\t",
        "world": r"diag|sie\b",
        "transaction": r"tbegin|tend|tabort",
        "exclusive": r"exr?l?\t",
        "form": r"ba[ls]\t",
    }
    site, order, length = 6, ">", 6

    @classmethod
    def label(cls, addr, code, target):
        if len(code) < 6 or code[:2] not in (b"\xc0\x04", b"\xc0\xf4"):
            return 0
        return 6 if code[1] == 4 or addr + 2 * struct.unpack_from(">i", code, 2)[0] == target else 0


class Loongarch(Machine):
    # This one says where functions begin; addresses in it are distances.
    objdump = "llvm-objdump-22"
    branch = re.compile(r"(b|bl|beqz?|bnez?|bltu?|bgeu?|b[lg][te]z|bc(eq|ne)z|jirl|jr|ret|syscall|break|ertn|idle)$")
    jump = re.compile(r"(b|beqz?|bnez?|bltu?|bgeu?|b[lg][te]z|bc(eq|ne)z)$")
    pointer = re.compile(r"(jirl\t\$zero, |jr\t)(?!\$ra)")
    reasons = {
        "trap": r"(break|dbcl)\t",
        "level": r"syscall|ertn|lddir|ldpte|tlb|invtlb|csr\w*\t.*, "
                 r"([15-8]|12|1[6-9]|2[4-9]|3[01]|4[89]|5\d|6[0-3]|13[6-9]|14[0-3]|38[4-7])$",
        "world": r"hvcl|gcsr|csr\w*\t.*, 80$",
        "sleep": r"idle",
        "exclusive": r"csr\w*\t.*, 96$",
    }
    exclusive = r"ll\.", r"sc\."
    site, entry, nops = 8, 8, (0x03400000,)

    @staticmethod
    def leads(word, addr):
        return addr + 4 * signed((word & 0x3ff) << 16 | word >> 10 & 0xffff, 26) if word >> 26 == 0x14 else None


class Powerpc(Machine):
    branch = re.compile(r"(b(?!permd|rd|rh|rw|c?dtr)|tw|td|trap|sc|h?rfi|urfid)")
    jump = re.compile(r"b(?!\w*l[+-]?$|\w*lrl?[+-]?$|\w*ctr|l)")
    pointer = re.compile(r"b\w*ctr[-+]?$")
    reasons = {
        "trap": r"(tw|td|trap)",
        "level": r"(sc|h?rfid?|rfscv|urfid|mtmsrd?|m[ft]spr|m[ft]h?(srr[01]|dar|dsisr)|slbmte|slbi\w+)\b",
        "world": r"sc\t",
        "sleep": r"(stop|nap|doze|sleep|wait)",
        "transaction": r"(tbegin|tend|tabort|treclaim|trechkpt)",
        "exclusive": r"p(addi|li|la|lb|lh|lw|ld|lq|lf|lxv|st)\w*\t",
    }
    exclusive = r"l[bhwdq]arx", r"st[bhwdq]cx\."
    exceptions = 8, True
    nops = 0x60000000,
    pad = rb"..[\x40\x4c]\x3c..\x42\x38"    # addis r2,r12 or lis r2; addi r2,r2: the local entry is behind them
    uncalled = ("ret_from_fork", "ret_from_fork_scv", "ret_from_kernel_user_thread", "start_kernel_thread",
                "return_to_handler")
    fixups = (("__start___barrier_nospec_fixup", "__stop___barrier_nospec_fixup", 2),
              ("__start___uaccess_flush_fixup", "__stop___uaccess_flush_fixup", 4))
    switch = 0x4e800420     # bctr

    @staticmethod
    def leads(word, addr):
        return addr + signed(word & 0x3fffffc, 26) if word & 0xfc000003 == 0x48000000 else None


class Mips(Machine):
    branch = re.compile(r"(b(?!itswap)|j|syscall|break|eret|t(eq|ne|ge|lt)|wait)")
    jump = re.compile(r"(b(?!al)\w*|j)$")
    pointer = re.compile(r"jr\S*\t(?!ra$)")
    reasons = {
        "trap": r"(break|sdbbp|t(eq|ne|geu?|ltu?)i?\t)",
        "level": r"syscall|d?eret|d?mtc0|di\b|ei\b|tlb"
                 r"|d?mfc0\t\w+,c0_(index|entry|x?context|badvaddr|cause|(error)?epc|srsctl)",
        "world": r"hypcall|d?m[ft]h?gc0",
        "sleep": r"(wait|pause)",
    }
    exclusive = r"lld?\t", r"scd?\t"
    delays = True
    labels, exceptions, bugs = (24, False), (16, False), (12, False)
    site, nops = 8, (0,)

    @staticmethod
    def leads(word, addr):
        return (addr + 4 & ~0xfffffff) | (word & 0x3ffffff) << 2 if word >> 26 == 2 else None


class Arm(Machine):
    branch = re.compile(r"(b(?!ic|f[ci])|cbn?z|tb[bh]|svc|udf|hvc|smc|eret|rfe|hlt)")
    jump = re.compile(r"(b(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?(\.[nw])?|cbn?z)$")
    # With any condition; of ldr, those that are neither returns nor switches.
    pointer = re.compile(r"(bx\w*\t|mov\w*\tpc, )(?!lr)|ldr\S*\tpc, \[(?!pc|sp\], #4$)")
    writes = re.compile(r"\tpc, |pc\}")
    # Words that no symbol tells are shown as letters.
    data = re.compile(Machine.data.pattern + r"|(?![a-z]\w*(\.\w+)*$|<UNDEFINED>)")
    reasons = {
        "trap": r"(bkpt|hlt|udf)",
        "level": r"svc|eret|rfe|srs|cps\S*\t.*#|m(sr|rs)\S*\t.*(SPSR|_(usr|[fi]rq|fiq|svc|abt|und|mon|hyp)\b)"
                 r"|msr\S*\tCPSR_\w*c, #|(mov|mvn|add|sub|rsb|and|orr|eor|bic)s\S*\tpc, |ldm.*pc\}\^"
                 r"|mcr\w*\t15, 0, \w+, cr(1, cr0, \{0\}|2, |12, cr0, \{0\}|13, cr0, \{1\})|mcrr.*, cr2$"
                 r"|m(cr|rc)\w*\t15, 0, \w+, cr[56], ",
        "world": r"(hvc|smc)",
        "sleep": r"wf[ei]|mcr\w*\t15, 0, \w+, cr7, cr0, \{4\}",
        "form": r"setend|bxj|blx\S*\t[0-9a-f]+ |(stm|push).*pc\}|(mov|lsl)s\tr0, r0|andeq\tr0, r0, r0",
    }
    exclusive = r"ldr?a?ex", r"st(r|l)ex|clrex"
    labels, bugs, exceptions = (12, False), (12, False), (8, False)
    # What the assembler writes, and what the kernel does.
    nops = 0xe320f000, 0xe1a00000

    @staticmethod
    def leads(word, addr):
        return addr + 8 + 4 * signed(word, 24) if word >> 24 == 0xea else None


class Thumb(Arm):
    nops = 0x8000f3af,

    @staticmethod
    def leads(word, addr):
        first, second = word & 0xffff, word >> 16
        if first >> 11 != 0x1e or second & 0xd000 != 0x9000:
            return None
        sign = first >> 10 & 1
        bits = (int(second >> at & 1 == sign) for at in (13, 11))
        offset = sign << 23 | next(bits) << 22 | next(bits) << 21 | (first & 0x3ff) << 11 | second & 0x7ff
        return addr + 4 + 2 * signed(offset, 24)


class Sparc(Machine):
    branch = re.compile(r"(f?b(?!mask|shuf|tst|set|clr|tog)|c[wx]b|call|jmp|ret|done|illtrap"
                        r"|t(a|n?e|g|leu?|ge|l|gu|c[cs]|pos|neg|v[cs])$)")
    jump = re.compile(r"(b(?!mask|shuf|tst|set|clr|tog)|c[wx]b)")
    pointer = re.compile(r"jmp\t")
    reasons = {
        "trap": r"t[a-z]+\t(%[ix]cc, )?-?\w+$",
        "level": r"(done|retry|saved|restored|allclean|otherw|normalw|invalw)\b|(rd|wr)hpr\t|"
                 r"rdpr\t%(?!tick|tba|pstate|pil|ver)|wrpr\t.*%(?!tick|pil)\w+$"
                 # objdump does not know a write of %pmcdper.
                 r"|unknown$",
        "world": r"t[a-z]+\t(%[ix]cc, )?0x[89a-f][0-9a-f]$|sir\b",
        "sleep": r"shutdown\b",
        "exclusive": r"wrpr\t.*%pstate$|wr\t.*%(tick_cmpr|pic)$|rd\t%(tick_cmpr|pic), %g0$",
        "data": r"(bn|iprefetch)\S*\t|sethi\t.*, %g0$",
        "undecodable": r"illtrap\t",
        "form": r"fb",
    }
    exclusive = (r"wrpr\t%\w+, (0x[0-9a-f]*)?[2367abef], %pstate$|wr\t.*%(tick_cmpr|pic)$",
                 r"wrpr\t.*%pstate$|rd\t%(tick_cmpr|pic), %g0$")
    delays = label_slot = True
    uncalled = "VISenter", "switch_to_pc"
    labels, exceptions, word = (12, False), (8, False), "I"
    site, order, nops = 8, ">", (0x01000000,)

    @staticmethod
    def leads(word, addr):
        for bits, opcode in (19, 0x10680000), (22, 0x10800000):
            if word >> bits == opcode >> bits:
                return addr + 4 * signed(word, bits)
        return None


class Parisc(Machine):
    # A condition may nullify the next instruction.
    branch = re.compile(r"(b(,|b\b|e\b|v|lr|reak|$)|rfi|(cmp|add|mov)i?b\b"
                        r"|\w+(,\w+)*,\*?(tr|od|ev|<?>?=?|<<=?|>>=?|n?[su]v|znv|vnz|[sn]([bhw][cz]|dc))$)")
    jump = re.compile(r"(b(,|b\b|$)|(cmp|add|mov)i?b\b)")
    calls = re.compile(r"b,l\S*\t.*,(?!r0$)\w+$")
    pointer = re.compile(r"b[ev]\S*\t(?!r0\(rp\))")
    reasons = {
        "trap": r"break\t",
        "level": r"rfi|[rs]sm\t|mtsp\t\w+,sr[4-7]$|mfctl\S*\t(pcsq|pcoq|iir|isr|ior|ipsw)"
                 r"|mtctl\t\w+,(iva|pcsq|pcoq|iir|isr|ior|ipsw|tr[014])|be\S*\t.*\(sr(?!4)|b,gate|diag",
        "sleep": r"or\t(r10,r10,r10|r31,r31,r31)",
        "form": r"spop|clrbts|pushbts|popbts|pushnom",
    }
    exclusive = r"[rs]sm\t|mtctl\t\w+,tr[014]|ldc[wd]", r"ssm\t|mtsp\t\w+,sr3|rfi"
    delays = True
    labels, bugs = (12, True), (12, False)
    site, order, nops = 8, ">", (0x08000240,)

    @staticmethod
    def leads(word, addr):
        if word & 0xffe0e002 != 0xe8000002:
            return None
        offset = (word & 1) << 16 | (word >> 5 & 0xf800) | (word & 4) << 8 | word >> 3 & 0x3ff
        return addr + 8 + 4 * signed(offset, 17)


for machine in (*Machine.__subclasses__(), I386, Thumb):
    machine.of_interest = [re.compile(pattern) for pattern in (
        *machine.reasons.values(), *(machine.exclusive or ()))]
BY_NAME = {"x86": X86, "arm64": Arm64, "riscv": Riscv, "s390": S390, "loongarch": Loongarch, "powerpc": Powerpc,
           "mips": Mips, "arm": Arm, "sparc": Sparc, "parisc": Parisc}


def of(elf):
    """Of a kernel."""
    name = elf.machine.name
    # The assembler has symbols where code begins, some of them of the other instruction set.
    modes = [symbol[0] for symbol in elf.symbols if symbol[0] in ("$a", "$t")]
    if name == "arm" and 2 * modes.count("$t") > len(modes):
        return Thumb
    return I386 if name == "x86" and not elf.is64 else BY_NAME[name]
