import { count } from "../numbers.ts";
import { quote, type ShellMover, type ShellPlace, type ShellRestore } from "../shell.ts";

/** Restic in the words of a shell. */
export const shell: ShellMover = {
  functions: (place) => [
    `export RESTIC_REPOSITORY=${quote(repositoryWord(place))} RESTIC_PROGRESS_FPS=1`,
    `hw_restic() { $hw_exec $hw_timed restic --no-cache ${place.insecureTls ? "--insecure-tls" : ""} "$@"; }`,
  ],
  open: "hw_restic cat config",
  variables: ({ password, azure }) => ({
    RESTIC_PASSWORD: password,
    ...(azure && { AZURE_ACCOUNT_NAME: azure.account, AZURE_ACCOUNT_KEY: azure.key }),
  }),
  backup: (path, tag) => [
    // Whether it is there, the choice of the mover has found out.
    `[ -n "$hw_known" ] || hw_probe hw_restic init || hw_refused`,
    `hw_run hw_restic backup --json --tag ${quote(tag)} ${quote(path)} > "$hw_tmp/out" & hw_follow "$hw_tmp/out" '"status"'`,
    `hw_result "$(grep '"message_type":"summary"' "$hw_tmp/out" | tail -n 1)"`,
  ],
  restore: (wanted) => {
    const source = sourceOf(wanted);
    return [
      // Before 0.17 there is no JSON of restores: what the process writes is measured against this total.
      `case "$(restic version)" in "restic 0."[0-9].*|"restic 0.1"[0-6].*) hw_total "$(hw_restic stats --json ${source} | sed -n 's/.*"total_size":\\([0-9]*\\).*/\\1/p' | tail -n 1)";; esac`,
      `hw_run hw_restic restore --json ${source} --target ${quote(wanted.target)} > "$hw_tmp/out" & hw_follow "$hw_tmp/out" '"status"'`,
    ];
  },
  remove: (what, reclaim) => [
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
  stats: (id, mode) => [
    `hw_result "$(hw_restic stats --json --mode ${quote(mode)} ${quote(id)} | tail -n 1)"`,
  ],
  summary: (result) => ({
    id: typeof result["snapshot_id"] === "string" ? result["snapshot_id"] : "",
    files:
      count(result["total_files_processed"] ?? result["total_file_count"] ?? result["total_blob_count"]) ?? 0,
    bytes: count(result["total_bytes_processed"] ?? result["total_size"]) ?? 0,
    addedBytes: count(result["data_added"]),
    storedBytes: count(result["data_added_packed"] ?? result["data_added"]),
    failed: 0,
  }),
};

/** Where restic finds the repository. */
function repositoryWord(place: ShellPlace): string {
  switch (place.kind) {
    case "filesystem":
      return place.path;
    case "s3":
      return `s3:${place.address}/${[place.bucket, place.path].filter(Boolean).join("/")}`;
    case "gcs":
    case "azure": {
      const scheme = place.kind === "gcs" ? "gs" : "azure";
      return `${scheme}:${place.bucket}:/${place.path === "" ? "" : `${place.path}/`}`;
    }
  }
}

/** The paths inside a snapshot lie below the target, as restic has it. */
function sourceOf({ id, tag, subPath }: ShellRestore): string {
  const sub = subPath.replace(/\/+$/, "");
  const which = id === "" ? `--tag ${quote(tag)} latest` : quote(id);
  return sub === "" ? which : `${which}:${quote(sub)}`;
}
