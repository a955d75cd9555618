import {
  type DataTask,
  type DataWork,
  definitionOf,
  type MoverKind,
  moverKinds,
  processMark,
  quote,
  resultMark,
  type ShellMover,
  type ShellRestore,
  type ShellSnapshot,
  totalMark,
  waitMark,
} from "../../../../movers/index.ts";
import type { RepositoryPlace } from "./repository.ts";

/**
 * The work of a data function: a task for the program of ours, and for images that do not have it a shell script of all movers.
 * Which mover to use is found out where it runs, and everything but secrets is in the script's text.
 */
export interface MoverScript {
  /** Absent where only a script can reach the place. */
  readonly task?: DataTask | undefined;
  readonly text: string;
  /** The repository, for messages. */
  readonly place: string;
  readonly env: Readonly<Record<string, string>>;
}

export type MoverChoice = MoverKind | undefined;

/** Backs a folder up under a tag. */
export function backupScript(
  place: RepositoryPlace,
  path: string,
  tag: string,
  mover: MoverChoice,
): MoverScript {
  return script(place, mover, { do: "backup", path, tag }, (shell) => shell.backup(path, tag));
}

/** Restores a snapshot; the paths inside it lie below the target. */
export function restoreScript(place: RepositoryPlace, wanted: ShellRestore, mover: MoverChoice): MoverScript {
  return script(place, mover, { do: "restore", ...wanted }, (shell) => shell.restore(wanted));
}

/** Deletes snapshots by id or tag, and the space that they took if asked to. */
export function deleteScript(
  place: RepositoryPlace,
  what: readonly ShellSnapshot[],
  reclaim: boolean,
  mover: MoverChoice,
): MoverScript {
  return script(place, mover, { do: "remove", what, reclaim }, (shell) => shell.remove(what, reclaim));
}

/** How large a snapshot is. */
export function statsScript(
  place: RepositoryPlace,
  id: string,
  mode: string,
  mover: MoverChoice,
): MoverScript {
  return script(place, mover, { do: "stats", id, mode }, (shell) => shell.stats(id, mode));
}

/** Whether the repository can be opened; always ends well. */
export function checkScript(place: RepositoryPlace, mover: MoverChoice): MoverScript {
  const judge = (command: string) =>
    `if hw_probe ${command}; then hw_result '{}'; else cat "$hw_tmp/probe"; case "$(cat "$hw_tmp/probe")" in *"wrong password"*|*"invalid repository password"*) hw_result '{"password":true}';; *) hw_result '{"unavailable":true}';; esac; fi`;
  const [usual] = moverKinds;
  // One that never answers is not there either.
  const silent = `hw_silent() { hw_mover=\${hw_mover:-${usual}}; hw_told; hw_result '{"unavailable":true}'; exit 0; }`;
  return script(place, mover, { do: "check" }, ({ open }) => [judge(open)], silent);
}

function script(
  place: RepositoryPlace,
  mover: MoverChoice,
  work: DataWork,
  steps: (shell: ShellMover) => readonly string[],
  more = "",
): MoverScript {
  const { repository, patienceMs: limitMs = defaultPatienceMs } = place;
  const text = [
    `hw_limit=${Math.ceil(limitMs / 1000)}`,
    prelude,
    more,
    ...moverKinds.flatMap((kind) => definitionOf(kind).shell.functions(place.at)),
    `hw_mover=${quote(mover ?? "")}`,
    ...choice(),
    `case "$hw_mover" in`,
    ...moverKinds.flatMap((kind) => [`${kind})`, ...steps(definitionOf(kind).shell), ";;"]),
    "esac",
  ].join("\n");
  const task = repository && { repository, mover, limitMs, ...work };
  return { text, place: place.text, env: place.env, task };
}

/** A repository that is not opened within this time does not answer; a mover alone may try for a quarter of an hour, without a word. */
const defaultPatienceMs = 5 * 60_000;

/** Movers draw over their line with \r, which logs of containers keep back: the newest line is printed once a second. */
const prelude = `set -eu
umask 077
hw_tmp=$(mktemp -d "\${TMPDIR:-/tmp}/headway.XXXXXX")
trap 'rm -rf "$hw_tmp"' EXIT
trap 'exit 143' TERM INT
export HOME="\${HOME:-$hw_tmp}"
if [ -n "\${HEADWAY_GCS_KEY:-}" ]; then
printf %s "$HEADWAY_GCS_KEY" > "$hw_tmp/gcs.json"
export GOOGLE_APPLICATION_CREDENTIALS="$hw_tmp/gcs.json"
fi
hw_result() { echo "${resultMark} $hw_mover $1"; }
hw_wait() { hw_code=0; wait "$hw_pid" || hw_code=$?; }
hw_timed= hw_known= hw_timeout= hw_exec=
if timeout 5 true 2>/dev/null; then hw_timeout="timeout $((hw_limit + 5))"; fi
hw_watch() {
hw_s=0
while sleep 5 </dev/null >/dev/null 2>&1; do
hw_s=$((hw_s + 5))
: > "$hw_tmp/waited"
echo "${waitMark} $hw_s"
if [ "$hw_s" -ge "$hw_limit" ]; then : > "$hw_tmp/silent"; kill "$1" 2>/dev/null; exit 0; fi
done
}
hw_probe() {
( hw_timed=$hw_timeout; "$@" ) > "$hw_tmp/probe" 2>&1 & hw_pid=$!
hw_watch "$hw_pid" & hw_dog=$!
hw_wait
kill "$hw_dog" 2>/dev/null || true
wait "$hw_dog" 2>/dev/null || true
if [ -e "$hw_tmp/silent" ]; then hw_silent; fi
if [ -e "$hw_tmp/waited" ]; then rm -f "$hw_tmp/waited"; echo "${waitMark} 0"; fi
return "$hw_code"
}
hw_told() { tail -n 5 "$hw_tmp/probe" >&2; }
hw_silent() { hw_told; echo "the repository did not answer within $hw_limit s" >&2; exit 75; }
hw_refused() { hw_told; exit "$hw_code"; }
hw_total() { if [ -n "$1" ]; then echo "${totalMark} $1"; fi; }
hw_run() { hw_exec=exec; "$@"; }
hw_process() {
hw_state=$(sed -n 's/^State:[[:space:]]*\\(.\\).*/\\1/p' "/proc/$hw_pid/status" 2>/dev/null) || return 0
hw_bytes=$(sed -n 's/^[rw]char: //p' "/proc/$hw_pid/io" 2>/dev/null) || return 0
if [ -n "$hw_bytes" ]; then echo "${processMark} $hw_state" $hw_bytes; fi
}
hw_newest() { tail -c 16384 "$1" | tr '\\r' '\\n' | grep -e "$2" | tail -n 1 || true; }
hw_follow() {
hw_pid=$!
while kill -0 "$hw_pid" 2>/dev/null; do
sleep 1
hw_process
hw_newest "$1" "$2"
done
hw_wait
if [ "$hw_code" -ne 0 ]; then tr '\\r' '\\n' < "$1" | grep -v -e "$2" | grep . | tail -n 10 >&2 || true; exit "$hw_code"; fi
hw_newest "$1" "$2"
}`;

/** A repository of another mover than the preferred one is gone on with; new ones are the preferred one's. */
function choice(): string[] {
  const [usual, ...others] = moverKinds;
  return [
    ...others.map(
      (kind) => `case "$hw_mover" in ""|${kind}) if command -v ${kind} >/dev/null 2>&1; then
if hw_probe ${definitionOf(kind).shell.open}; then hw_mover=${kind} hw_known=yes; else
case "$(cat "$hw_tmp/probe")" in *"wrong password"*) hw_mover=${kind};; esac
fi
fi;; esac`,
    ),
    `for hw_kind in ${[usual, ...others].join(" ")}; do
if [ -z "$hw_mover" ] && command -v "$hw_kind" >/dev/null 2>&1; then hw_mover=$hw_kind; fi
done
if [ -z "$hw_mover" ]; then echo "none of ${[usual, ...others].join(", ")} is in this image" >&2; exit 127; fi`,
  ];
}
