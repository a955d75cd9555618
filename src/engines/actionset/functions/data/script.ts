import type { RepositoryPlace } from "./repository.ts";

/** A shell script of two movers: the one to use is found out where it runs, and everything but secrets is in its text. */
export interface MoverScript {
  readonly text: string;
  /** The repository, for messages. */
  readonly place: string;
  readonly env: Readonly<Record<string, string>>;
}

export type MoverChoice = "kopia" | "restic" | undefined;

/** A result that scripts print as one line of JSON behind this mark. */
export const resultMark = "###headway-result###:";
/** For how many seconds the repository has not answered; 0 when it has. */
export const waitMark = "###headway-wait###:";

/** Backs a folder up under a tag. */
export function backupScript(
  place: RepositoryPlace,
  path: string,
  tag: string,
  mover: MoverChoice,
): MoverScript {
  return script(place, mover, {
    restic: [
      // Whether it is there, the choice of the mover has found out.
      `[ -n "$hw_known" ] || hw_probe hw_restic init || hw_refused`,
      `hw_restic backup --json --tag ${quote(tag)} ${quote(path)} > "$hw_tmp/out" & hw_follow_lines`,
      `hw_result "$(grep '"message_type":"summary"' "$hw_tmp/out" | tail -n 1)"`,
    ],
    kopia: [
      "hw_probe hw_connect || hw_probe hw_create || hw_refused",
      // Nothing may be left out, and nothing may go away by itself.
      "hw_kopia policy set --global --ignore-cache-dirs=false --remove-dot-ignore=.kopiaignore --keep-latest=2147483647 >/dev/null 2>&1",
      `hw_kopia snapshot create ${quote(path)} --json --progress-update-interval=1s --tags=${quote(`kanister:${tag}`)} > "$hw_tmp/out" 2> "$hw_tmp/err" & hw_follow`,
      `hw_result "$(tr -d '\\n' < "$hw_tmp/out")"`,
    ],
  });
}

/** What to restore. */
export interface RestoreWish {
  readonly id: string;
  readonly tag: string;
  /** A part of the snapshot. */
  readonly subPath: string;
  readonly target: string;
}

/** Restores a snapshot; the paths inside it lie below the target, as restic has it. */
export function restoreScript(place: RepositoryPlace, wish: RestoreWish, mover: MoverChoice): MoverScript {
  const { id, tag, subPath, target } = wish;
  const sub = subPath.replace(/\/+$/, "");
  const which = id === "" ? `--tag ${quote(tag)} latest` : quote(id);
  const resticSource = sub === "" ? which : `${which}:${quote(sub)}`;
  return script(place, mover, {
    restic: [
      // Before 0.17 there is no JSON of restores, and no progress.
      `hw_restic restore --json ${resticSource} --target ${quote(target)} > "$hw_tmp/out" & hw_follow_lines`,
    ],
    kopia: [
      "hw_open",
      ...snapshotId(id, tag),
      `hw_path=$(hw_kopia manifest show "$hw_id" | sed -n 's|^// label path:||p' | head -n 1)`,
      sub === ""
        ? `hw_from="$hw_id"; hw_to=${quote(target.replace(/\/+$/, ""))}"$hw_path"`
        : `hw_sub=${quote(sub)}; hw_from="$hw_id/\${hw_sub#"$hw_path"/}"; hw_to=${quote(target)}`,
      `mkdir -p "$hw_to"`,
      `hw_kopia snapshot restore "$hw_from" "$hw_to" --progress-update-interval=1s --ignore-permission-errors > "$hw_tmp/out" 2> "$hw_tmp/err" & hw_follow`,
      `grep '^Restored' "$hw_tmp/err" "$hw_tmp/out" -h || true`,
    ],
  });
}

/** Deletes snapshots by id or tag, and the space that they took if asked to. */
export function deleteScript(
  place: RepositoryPlace,
  what: readonly { readonly id: string; readonly tag: string }[],
  reclaim: boolean,
  mover: MoverChoice,
): MoverScript {
  return script(place, mover, {
    restic: [
      ...what.flatMap(({ id, tag }) => [
        id === ""
          ? `hw_id=$(hw_restic snapshots --tag ${quote(tag)} --json | sed -n 's/.*"short_id":"\\([0-9a-f]*\\)".*/\\1/p' | head -n 1); [ -n "$hw_id" ] || { echo "no snapshot has the tag" ${quote(tag)} >&2; exit 1; }`
          : `hw_id=${quote(id)}`,
        `hw_restic forget "$hw_id"`,
      ]),
      ...(reclaim
        ? [
            `hw_restic prune | tee "$hw_tmp/prune"`,
            `hw_result "$(sed -n 's/.*frees \\(.*\\)/{"freed":"\\1"}/p; s/^total prune: .*blobs \\/ \\(.*\\)/{"freed":"\\1"}/p' "$hw_tmp/prune" | tail -n 1)"`,
          ]
        : []),
    ],
    kopia: [
      "hw_open",
      ...(reclaim ? ["hw_before=$(hw_blobs)"] : []),
      ...what.flatMap(({ id, tag }) => [
        ...snapshotId(id, tag),
        `hw_kopia snapshot delete "$hw_id" --delete`,
      ]),
      ...(reclaim
        ? [
            // Maintenance is its owner's right, and the owner was the pod of the first copy.
            "hw_kopia --log-level=error maintenance set --owner=me",
            "hw_kopia --log-level=error maintenance run --full --safety=none",
            `hw_after=$(hw_blobs); hw_result "{\\"freedBytes\\":$((hw_before - hw_after))}"`,
          ]
        : []),
    ],
  });
}

/** How large a snapshot is. */
export function statsScript(
  place: RepositoryPlace,
  id: string,
  mode: string,
  mover: MoverChoice,
): MoverScript {
  return script(place, mover, {
    restic: [`hw_result "$(hw_restic stats --json --mode ${quote(mode)} ${quote(id)} | tail -n 1)"`],
    kopia: ["hw_open", `hw_result "$(hw_kopia manifest show ${quote(id)} | grep -v '^//' | tr -d '\\n')"`],
  });
}

/** Whether the repository can be opened; always ends well. */
export function checkScript(place: RepositoryPlace, mover: MoverChoice): MoverScript {
  const judge = (command: string) =>
    `if hw_probe ${command}; then hw_result '{}'; else cat "$hw_tmp/probe"; case "$(cat "$hw_tmp/probe")" in *"wrong password"*|*"invalid repository password"*) hw_result '{"password":true}';; *) hw_result '{"unavailable":true}';; esac; fi`;
  const steps = { restic: [judge("hw_restic cat config")], kopia: [judge("hw_connect")] };
  // One that never answers is not there either.
  const silent = `hw_silent() { hw_mover=\${hw_mover:-kopia}; hw_told; hw_result '{"unavailable":true}'; exit 0; }`;
  return script(place, mover, steps, silent);
}

function snapshotId(id: string, tag: string): string[] {
  if (id !== "") return [`hw_id=${quote(id)}`];
  const find = `hw_kopia snapshot list --all --json --tags=${quote(`kanister:${tag}`)} | tr ',' '\\n' | sed -n 's/.*"id": *"\\([0-9a-f]\\{32\\}\\)".*/\\1/p' | head -n 1`;
  return [
    `hw_id=$(${find}); [ -n "$hw_id" ] || { echo "no snapshot has the tag" ${quote(tag)} >&2; exit 1; }`,
  ];
}

function script(
  place: RepositoryPlace,
  mover: MoverChoice,
  steps: { readonly restic: readonly string[]; readonly kopia: readonly string[] },
  more = "",
): MoverScript {
  const text = [
    `hw_limit=${Math.ceil((place.patienceMs ?? defaultPatienceMs) / 1000)}`,
    prelude,
    more,
    `export RESTIC_REPOSITORY=${quote(place.resticRepository)}`,
    `hw_restic() { $hw_timed restic --no-cache ${place.resticFlags.map(quote).join(" ")} "$@"; }`,
    `hw_connect() { hw_kopia repository connect ${place.kopia.map(quote).join(" ")} --no-check-for-updates --cache-directory="$hw_tmp/cache" ${gcsFlag(place)}; }`,
    `hw_create() { hw_kopia repository create ${place.kopia.map(quote).join(" ")} --no-check-for-updates --cache-directory="$hw_tmp/cache" ${gcsFlag(place)} ; }`,
    `hw_mover=${quote(mover ?? "")}`,
    choose,
    `if [ "$hw_mover" = restic ]; then`,
    ...steps.restic,
    "else",
    ...steps.kopia,
    "fi",
  ].join("\n");
  return { text, place: place.resticRepository, env: place.env };
}

function gcsFlag({ kopia }: RepositoryPlace): string {
  return kopia[0] === "gcs" ? `--credentials-file="$GOOGLE_APPLICATION_CREDENTIALS"` : "";
}

/** A repository that is not opened within this time does not answer; restic alone would try for a quarter of an hour, without a word. */
const defaultPatienceMs = 5 * 60_000;

/** Kopia draws over its line with \r, which logs of containers keep back: its newest line is printed once a second. */
const prelude = `set -eu
umask 077
hw_tmp=$(mktemp -d "\${TMPDIR:-/tmp}/headway.XXXXXX")
trap 'rm -rf "$hw_tmp"' EXIT
trap 'exit 143' TERM INT
export HOME="\${HOME:-$hw_tmp}" RESTIC_PROGRESS_FPS=1 KOPIA_CHECK_FOR_UPDATES=false KOPIA_BYTES_STRING_BASE_2=false
if [ -n "\${HEADWAY_GCS_KEY:-}" ]; then
printf %s "$HEADWAY_GCS_KEY" > "$hw_tmp/gcs.json"
export GOOGLE_APPLICATION_CREDENTIALS="$hw_tmp/gcs.json"
fi
hw_kopia() { $hw_timed kopia --config-file="$hw_tmp/kopia.config" --no-persist-credentials --no-use-keyring --disable-file-logging "$@"; }
hw_result() { echo "###headway-result###: $hw_mover $1"; }
hw_blobs() { hw_kopia blob stats --raw | sed -n 's/^Total: *\\([0-9]*\\).*/\\1/p'; }
hw_wait() { hw_code=0; wait "$hw_pid" || hw_code=$?; }
hw_timed= hw_known= hw_timeout=
if timeout 5 true 2>/dev/null; then hw_timeout="timeout $((hw_limit + 5))"; fi
hw_watch() {
hw_s=0
while sleep 5 </dev/null >/dev/null 2>&1; do
hw_s=$((hw_s + 5))
: > "$hw_tmp/waited"
echo "###headway-wait###: $hw_s"
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
if [ -e "$hw_tmp/waited" ]; then rm -f "$hw_tmp/waited"; echo "###headway-wait###: 0"; fi
return "$hw_code"
}
hw_told() { tail -n 5 "$hw_tmp/probe" >&2; }
hw_silent() { hw_told; echo "the repository did not answer within $hw_limit s" >&2; exit 75; }
hw_refused() { hw_told; exit "$hw_code"; }
hw_open() { hw_probe hw_connect || hw_refused; }
hw_follow() {
hw_pid=$!
while kill -0 "$hw_pid" 2>/dev/null; do
sleep 1
tail -c 400 "$hw_tmp/err" | tr '\\r' '\\n' | grep . | tail -n 1 || true
done
hw_wait
if [ "$hw_code" -ne 0 ]; then tr '\\r' '\\n' < "$hw_tmp/err" | grep . | tail -n 10 >&2 || true; exit "$hw_code"; fi
tr '\\r' '\\n' < "$hw_tmp/err" | grep hashing | tail -n 1 || true
}
hw_follow_lines() {
hw_pid=$!
while kill -0 "$hw_pid" 2>/dev/null; do
sleep 1
tail -n 1 "$hw_tmp/out" | grep '"status"' || true
done
hw_wait
if [ "$hw_code" -ne 0 ]; then grep -v '"status"' "$hw_tmp/out" | tail -n 10 >&2 || true; exit "$hw_code"; fi
}`;

/** An existing restic repository is gone on with; new ones are kopia's. */
const choose = `if [ "$hw_mover" != kopia ] && command -v restic >/dev/null 2>&1; then
if hw_probe hw_restic cat config; then hw_mover=restic hw_known=yes; else
case "$(cat "$hw_tmp/probe")" in *"wrong password"*) hw_mover=restic;; esac
fi
fi
if [ -z "$hw_mover" ]; then
if command -v kopia >/dev/null 2>&1; then hw_mover=kopia
elif command -v restic >/dev/null 2>&1; then hw_mover=restic
else echo "neither kopia nor restic is in this image" >&2; exit 127; fi
fi`;

/** A word for the shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
