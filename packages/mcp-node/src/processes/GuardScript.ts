/** The program of the guard: a POSIX shell script, because a shell takes about 2 MB where Node takes 40. */
import { MARKER_VARIABLE } from "@boocode/mcp-client"

/**
 * Reads `add GROUP`, `del GROUP` and `quit`. When its input ends without `quit` the host is dead: it looks for the
 * groups it was told, those of the arguments after the first included, for all that carry a marker beginning with `$1`,
 * and for all that descend from these; half a second later it sends SIGTERM, five seconds later SIGKILL, and ends
 * (docs/decisions.md, decision 6). Nothing but that and SIGKILL ends it.
 *
 * **Details**
 *
 * A process is remembered by id and start time, so an id that was given away meanwhile is left alone. Where there is no
 * `/proc`, `ps` tells the same but for start times.
 */
export const SCRIPT = String.raw`
trap '' HUP INT QUIT TERM
prefix=$1; shift; groups=$*
while read -r verb value; do
  case $verb in
    add) groups="$groups $value" ;;
    del) kept=; for group in $groups; do [ "$group" = "$value" ] || kept="$kept $group"; done; groups=$kept ;;
    quit) exit 0 ;;
  esac
done
# Lines of: pid ppid pgid start. The command in /proc may hold spaces and brackets, so it is cut at its last bracket.
table() {
  [ -d /proc/self ] || { ps -A -o pid= -o ppid= -o pgid= -o stat= | while read -r pid ppid pgid state; do
    case $state in Z*) ;; *) echo "$pid $ppid $pgid 0" ;; esac; done; return; }
  for stat in /proc/[0-9]*/stat; do
    { read -r line < "$stat"; } 2>/dev/null || continue
    pid=${"$"}{line%% *}; set -- ${"$"}{line##*) }
    case $1 in Z|X) continue ;; esac
    shift; ppid=$1; pgid=$2; shift 18; echo "$pid $ppid $pgid $1"
  done
}
marked() {
  [ -d /proc/self ] || { ps -A -ww -E -o pid= -o command= | grep -F "${MARKER_VARIABLE}=$prefix" | while read -r pid rest; do
    echo "$pid"; done; return; }
  for file in $(grep -als "${MARKER_VARIABLE}=$prefix" /proc/[0-9]*/environ); do file=${"$"}{file#/proc/}; echo "${"$"}{file%/environ}"; done
}
known=
look() {
  list=$(table); own=" $(marked | tr '\n' ' ')$groups "; more=1
  while [ -n "$more" ]; do
    more=
    while read -r pid ppid pgid start; do
      [ "$pid" = $$ ] && continue
      case "$known " in *" $pid:$start "*) continue ;; esac
      case "$own" in
        *" $pid "*|*" $pgid "*) ;;
        *) case "$known" in *" $ppid:"*) ;; *) continue ;; esac ;;
      esac
      known="$known $pid:$start"; more=1
    done <<END
$list
END
  done
  alive=
  while read -r pid ppid pgid start; do
    case "$known " in *" $pid:$start "*) alive="$alive $pid" ;; esac
  done <<END
$list
END
}
look; sleep 0.5; look
[ -n "$alive" ] && kill -s TERM $alive 2>/dev/null
# One empty look is not enough: a process may have started another and ended between two lines of the table.
for turn in 1 2 3 4 5 6 7 8 9; do look; [ -n "$alive" ] || { look; [ -n "$alive" ] || exit 0; }; sleep 0.5; done
look; [ -n "$alive" ] && kill -s KILL $alive 2>/dev/null
sleep 0.2; look; [ -n "$alive" ] && kill -s KILL $alive 2>/dev/null
exit 0
`
