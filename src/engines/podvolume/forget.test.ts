import { expect, test } from "vitest";
import type { Backup } from "../../api/index.ts";
import { Cache, type Client, systemClock } from "../../kube/index.ts";
import type { Mover } from "../../movers/index.ts";
import { snapshotForgetter } from "./forget.ts";

const backup: Backup = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "nightly" } };
const volume = (snapshotID?: string) => ({
  spec: {
    pod: { namespace: "shop" },
    volume: "data",
    backupStorageLocation: "default",
    uploaderType: "kopia",
  },
  status: { ...(snapshotID && { snapshotID }) },
});

const one = "1".repeat(32);
const two = "2".repeat(32);

function deps(forget: (snapshot: string) => Promise<void>) {
  const found: Record<string, object> = {
    default: {
      metadata: { name: "default" },
      spec: { provider: "filesystem", objectStorage: { bucket: "b" }, config: { path: "/srv" } },
    },
    "velero-repo-credentials": { data: { "repository-password": "cHc=" } },
  };
  const client = {
    items: async function* () {
      yield* [volume(one), volume(), volume("--config-file=/x"), volume(two)];
    },
    get: async (_resource: unknown, name: string) => found[name],
  };
  const mover = { forget: (_repository: unknown, snapshot: string) => forget(snapshot) } as unknown as Mover;
  const whole = client as unknown as Client;
  return {
    client: whole,
    cache: new Cache({ client: whole }),
    namespace: "velero",
    clock: systemClock,
    log: () => undefined,
    mover: () => mover,
  };
}

test("snapshotForgetter() removes each snapshot, and tells those that stay", async () => {
  const gone: string[] = [];
  const errors = await snapshotForgetter(
    deps(async (snapshot) => {
      if (snapshot === one) throw new Error("locked");
      gone.push(snapshot);
    }),
  )(backup, undefined, new AbortController().signal);
  expect(gone).toEqual([two]);
  expect(errors).toEqual([
    `the snapshot "${one}" of volume "data" cannot be removed: locked`,
    expect.stringContaining('"--config-file=/x", not a snapshot of kopia'),
  ]);
});
