import { asObject, count } from "../numbers.ts";
import { quote, type ShellMover, type ShellPlace, withScheme } from "../shell.ts";
import { policyArgs } from "./args.ts";

const drawn = `'hashing\\|Processed'`;

/** Kopia in the words of a shell. */
export const shell: ShellMover = {
  functions: (place) => [
    "export KOPIA_CHECK_FOR_UPDATES=false KOPIA_BYTES_STRING_BASE_2=false",
    `hw_kopia() { $hw_exec $hw_timed kopia --config-file="$hw_tmp/kopia.config" --no-persist-credentials --no-use-keyring --disable-file-logging "$@"; }`,
    `hw_blobs() { hw_kopia blob stats --raw | sed -n 's/^Total: *\\([0-9]*\\).*/\\1/p'; }`,
    ...["connect", "create"].map(
      (verb) =>
        `hw_${verb}() { hw_kopia repository ${verb} ${storeWords(place)} --no-check-for-updates --cache-directory="$hw_tmp/cache"; }`,
    ),
    "hw_open() { hw_probe hw_connect || hw_refused; }",
  ],
  open: "hw_connect",
  variables: ({ password, azure }) => ({
    KOPIA_PASSWORD: password,
    ...(azure && { AZURE_STORAGE_ACCOUNT: azure.account, AZURE_STORAGE_KEY: azure.key }),
  }),
  backup: (path, tag) => [
    "hw_probe hw_connect || hw_probe hw_create || hw_refused",
    // Nothing may be left out, and nothing may go away by itself.
    `hw_kopia ${policyArgs.map(quote).join(" ")} >/dev/null 2>&1`,
    `hw_run hw_kopia snapshot create ${quote(path)} --json --progress-update-interval=1s --tags=${quote(`kanister:${tag}`)} > "$hw_tmp/out" 2> "$hw_tmp/err" & hw_follow "$hw_tmp/err" ${drawn}`,
    `hw_result "$(tr -d '\\n' < "$hw_tmp/out")"`,
  ],
  restore: ({ id, tag, subPath, target }) => {
    const sub = subPath.replace(/\/+$/, "");
    return [
      "hw_open",
      ...snapshotWord(id, tag),
      `hw_path=$(hw_kopia manifest show "$hw_id" | sed -n 's|^// label path:||p' | head -n 1)`,
      sub === ""
        ? `hw_from="$hw_id"; hw_to=${quote(target.replace(/\/+$/, ""))}"$hw_path"`
        : `hw_sub=${quote(sub)}; hw_from="$hw_id/\${hw_sub#"$hw_path"/}"; hw_to=${quote(target)}`,
      `mkdir -p "$hw_to"`,
      `hw_run hw_kopia snapshot restore "$hw_from" "$hw_to" --progress-update-interval=1s --ignore-permission-errors > "$hw_tmp/out" 2> "$hw_tmp/err" & hw_follow "$hw_tmp/err" ${drawn}`,
      `grep '^Restored' "$hw_tmp/err" "$hw_tmp/out" -h || true`,
    ];
  },
  remove: (what, reclaim) => [
    "hw_open",
    ...(reclaim ? ["hw_before=$(hw_blobs)"] : []),
    ...what.flatMap(({ id, tag }) => [
      ...snapshotWord(id, tag),
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
  stats: (id) => [
    "hw_open",
    `hw_result "$(hw_kopia manifest show ${quote(id)} | grep -v '^//' | tr -d '\\n')"`,
  ],
  summary: (result) => {
    const summary = asObject(asObject(result["rootEntry"])?.["summ"]);
    return {
      id: typeof result["id"] === "string" ? result["id"] : "",
      files: count(summary?.["files"]) ?? 0,
      bytes: count(summary?.["size"]) ?? 0,
      // Only the lines of progress tell them.
      addedBytes: undefined,
      storedBytes: undefined,
      failed: count(summary?.["numFailed"]) ?? 0,
    };
  },
};

/** What follows `kopia repository connect`. */
function storeWords(place: ShellPlace): string {
  const words = (() => {
    switch (place.kind) {
      case "filesystem":
        return ["filesystem", `--path=${place.path}`];
      case "gcs":
        return ["gcs", `--bucket=${place.bucket}`, ...prefixWord(place.path)];
      case "azure":
        return ["azure", `--container=${place.bucket}`, ...prefixWord(place.path)];
      case "s3": {
        const url = new URL(withScheme(place.address));
        return [
          "s3",
          `--bucket=${place.bucket}`,
          ...prefixWord(place.path),
          `--endpoint=${url.host}`,
          ...(place.region === "" ? [] : [`--region=${place.region}`]),
          ...(url.protocol === "http:" ? ["--disable-tls"] : []),
          ...(place.insecureTls ? ["--disable-tls-verification"] : []),
        ];
      }
    }
  })();
  const key = place.kind === "gcs" ? ` --credentials-file="$GOOGLE_APPLICATION_CREDENTIALS"` : "";
  return words.map(quote).join(" ") + key;
}

function prefixWord(path: string): string[] {
  return path === "" ? [] : [`--prefix=${path}/`];
}

function snapshotWord(id: string, tag: string): string[] {
  if (id !== "") return [`hw_id=${quote(id)}`];
  const find = `hw_kopia snapshot list --all --json --tags=${quote(`kanister:${tag}`)} | tr ',' '\\n' | sed -n 's/.*"id": *"\\([0-9a-f]\\{32\\}\\)".*/\\1/p' | head -n 1`;
  return [
    `hw_id=$(${find}); [ -n "$hw_id" ] || { echo "no snapshot has the tag" ${quote(tag)} >&2; exit 1; }`,
  ];
}
