# What the commands of this folder share: where parts are kept, how processes are started, waited for and stopped. Sourced, not run.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PARTS=${HEADWAY_PARTS:-$HOME/.cache/headway-parts}
export HERE PARTS

# part NAME: the program, whether it is built or not.
part() {
  local version
  version=$(awk -v name="$1" '$1 == name { print $2 }' "$HERE/versions")
  [ -n "$version" ] || { echo "no part is called $1: see $HERE/versions" >&2; return 1; }
  echo "$PARTS/$1-$version/$1"
}

# debian PACKAGE...: installs what is missing.
debian() {
  local missing=() p
  for p in "$@"; do dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q ' installed$' || missing+=("$p"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing ${missing[*]}" >&2
  (
    exec 9>"$PARTS/.debian.lock" && flock 9
    apt-get update -q >/dev/null
    # No service of theirs is started: the parts here run their own, on their own ports.
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
      -o DPkg::Lock::Timeout=600 "${missing[@]}" >/dev/null
  )
}

# start FOLDER NAME COMMAND...: a process that outlives this shell, in a group of its own; its id is kept in FOLDER/pids/NAME.
start() {
  local folder=$1 name=$2
  shift 2
  mkdir -p "$folder/pids" "$folder/log"
  setsid nohup "$@" >"$folder/log/$name.log" 2>&1 </dev/null 9>&- &
  echo $! >"$folder/pids/$name"
}

# alive FOLDER NAME: whether the process runs that was started under this name.
alive() { [ -f "$1/pids/$2" ] && kill -0 "$(cat "$1/pids/$2")" 2>/dev/null; }

# wait_for FOLDER NAME COMMAND...: until the command succeeds; at once an error when the process ends.
wait_for() {
  local folder=$1 name=$2 until=$((SECONDS + 180))
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ! alive "$folder" "$name" || [ $SECONDS -ge $until ]; then
      echo "$name did not come up: the end of $folder/log/$name.log:" >&2
      tail -n 20 "$folder/log/$name.log" >&2
      return 1
    fi
    sleep 0.2
  done
}

# stop FOLDER [NAME...]: those processes, all by default: asked first, killed after ten seconds.
stop() {
  local folder=$1 p pids=()
  shift
  local names=("$@")
  if [ ${#names[@]} -eq 0 ]; then for p in "$folder"/pids/*; do [ -f "$p" ] && names+=("$(basename "$p")"); done; fi
  for p in "${names[@]}"; do
    [ -f "$folder/pids/$p" ] || continue
    pids+=("$(cat "$folder/pids/$p")")
    rm -f "$folder/pids/$p"
  done
  [ ${#pids[@]} -gt 0 ] || return 0
  kill "${pids[@]}" 2>/dev/null || true
  for _ in $(seq 50); do
    kill -0 "${pids[@]}" 2>/dev/null || return 0
    local left=()
    for p in "${pids[@]}"; do kill -0 "$p" 2>/dev/null && left+=("$p"); done
    [ ${#left[@]} -gt 0 ] || return 0
    pids=("${left[@]}")
    sleep 0.2
  done
  kill -9 "${pids[@]}" 2>/dev/null || true
}

# listens PORT: whether something accepts connections there, on loopback.
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
