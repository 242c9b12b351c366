#!/bin/sh
# Tests that the tool's table has all of Valgrind's descriptions of data that system calls read, in this release.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Only the core's descriptions (aprof/syscall_wrap.c) show which memory of a system call is data that may be
# transferred in part. A changed description would silently not match. Therefore this test lists all
# descriptions of calls that transfer data, and the installed core must have exactly these descriptions.

. "${0%/*}/../lib.sh"
require
need strings "there is no strings (binutils)"
core=$build/.in_place/none-amd64-linux
test -r "$core" || skip "$core: cannot be read"

# The core's format, and a description in this format. If the format depends on the release of Valgrind, a line
# has each of the formats, separated by `|`.
cat >data <<'WORDS'
write(buf)                      write(buf)
pwrite64(buf)                   pwrite64(buf)
writev(vector[...])|writev(vector[%d])   writev(vector[0])
%s(vector[%d])                  pwritev(vector[0])
%s(vector[%d])                  pwritev2(vector[0])
vmsplice(iov[...])              vmsplice(iov[...])
process_vm_writev(lvec[...])    process_vm_writev(lvec[...])
socketcall.send(msg)            socketcall.send(msg)
socketcall.sendto(msg)          socketcall.sendto(msg)
(%s.msg_iov[%u])                sendmsg(msg.msg_iov[0])
(%s.msg_iov[%u])                sendmsg(mmsg[0].msg_hdr.msg_iov[0])
msgsnd(msgp->mtext)             msgsnd(msgp->mtext)
mq_timedsend(msg_ptr)           mq_timedsend(msg_ptr)
mq_timedsend_time64(msg_ptr)    mq_timedsend_time64(msg_ptr)
WORDS

# Registers, names and structures of these calls, on the two architectures.
cat >others <<'WORDS'
mq_timedsend(abs_timeout)
mq_timedsend(mqdes)
mq_timedsend(msg_len)
mq_timedsend(msg_prio)
mq_timedsend_time64(abs_timeout)
mq_timedsend_time64(mqdes)
mq_timedsend_time64(msg_len)
mq_timedsend_time64(msg_prio)
msgsnd(msgflg)
msgsnd(msgp)
msgsnd(msgp->mtype)
msgsnd(msgsz)
msgsnd(msqid)
process_vm_writev(flags)
process_vm_writev(liovcnt)
process_vm_writev(lvec)
process_vm_writev(pid)
process_vm_writev(riovcnt)
process_vm_writev(rvec)
putpmsg(band)
putpmsg(ctrl)
putpmsg(data)
putpmsg(fd)
putpmsg(flags)
pwrite64(count)
pwrite64(fd)
pwrite64(offset)
pwrite64(offset_high)
pwrite64(offset_low)
pwritev(count)
pwritev(fd)
pwritev(offset)
pwritev(offset_high)
pwritev(offset_low)
pwritev(vector)
pwritev2(count)
pwritev2(fd)
pwritev2(flags)
pwritev2(offset)
pwritev2(offset_high)
pwritev2(offset_low)
pwritev2(vector)
send(flags)
send(len)
send(s)
sendfile(count)
sendfile(in_fd)
sendfile(offset)
sendfile(out_fd)
sendfile64(count)
sendfile64(in_fd)
sendfile64(offset)
sendfile64(out_fd)
sendmmsg(flags)
sendmmsg(mmsg)
sendmmsg(mmsg[%u].msg_len)
sendmmsg(s)
sendmmsg(vlen)
sendmsg%s
sendmsg(flags)
sendmsg(msg)
sendmsg(s)
sendto(flags)
sendto(len)
sendto(s)
sendto(to)
sendto(tolen)
socketcall.send(args)
socketcall.sendmmsg(args)
socketcall.sendmsg(args)
socketcall.sendto(args)
socketcall.sendto(to.%s)
splice(fd_in)
splice(fd_out)
splice(flags)
splice(len)
splice(nr_segs)
splice(off_in)
splice(off_out)
tee(fd_in)
tee(fd_out)
tee(flags)
tee(len)
vmsplice(fd)
vmsplice(iov)
write(count)
write(fd)
WORDS

strings -a -n 4 "$core" | sort -u >words
sed -n 's/^    {"\(.*\)", LIMIT_[A-Z]*},.*/\1/p' "$source/aprof/syscall_wrap.c" >table

begin "the core has the words for data"
while read -r format description; do
    echo "$format" | tr '|' '\n' >formats
    check "no '$format' in $core" grep -qxF -f formats words
done <data

begin "the tool knows each of them"
while read -r format description; do
    known=no
    while IFS= read -r beginning; do
        case $description in
        "$beginning"*) known=yes ;;
        esac
    done <table
    [ $known = yes ] || fail "$description"
done <data

begin "the tool knows no others"
check "its table cannot be read" [ -s table ]
while IFS= read -r beginning; do
    check "$beginning" awk -v beginning="$beginning" '
        index($2, beginning) == 1 { found = 1 } END { exit !found }' data
done <table

begin "calls that hand over data have no other words"
sed 's/ .*//' data | tr '|' '\n' | cat - others >known
grep -E '^[a-z_0-9.]*(write|send|snd|splice|putpmsg|tee)[a-z_0-9.]*(\(|%s)' words |
    grep -v ' ' | grep -vxF -f known >unknown || :
check "decide for each whether it is data: $(cat unknown)" [ ! -s unknown ]

begin "at run time no call is left without data"
compile syscalls_more -O1 syscalls_more.c || :
profile --stats=yes ./syscalls_more
expect_status 0
check "$(grep 'cannot interpret' log)" grep -q 'aprof: 0 system calls transferred data' log

finish
