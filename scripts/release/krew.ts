import { stringify } from "yaml";

/** The manifest of the kubectl plugin, as krew reads it. */
export function krewManifest(
  version: string,
  url: string,
  archives: readonly { os: string; arch: string; file: string; sha256: string }[],
): string {
  return stringify(
    {
      apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
      kind: "Plugin",
      metadata: { name: "headway" },
      spec: {
        version: `v${version}`,
        shortDescription: "Watch and run backups, restores and migrations",
        description:
          "Shows how far each backup, restore, action and migration of a cluster is, how long it still takes and why it stands still; runs them as well.\nWorks beside Velero, Kanister and MTC without installing anything in the cluster.\n",
        platforms: archives.map(({ os, arch, file, sha256 }) => ({
          selector: { matchLabels: { os, arch } },
          uri: `${url}/${file}`,
          sha256,
          files: [{ from: "*", to: "." }],
          bin: "kubectl-headway",
        })),
      },
    },
    { lineWidth: 0 },
  );
}
