import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds, type OperationObject } from "../../../src/api/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import type { Operation } from "../../../src/progress/index.ts";
import { ActionStage } from "../../harness/action-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover } from "../../harness/movers.ts";

// It stops a process of a pod by its id, which it learns only on the embedded cluster.
const isReal = process.env["HEADWAY_TEST_CLUSTER"] === "1";
const mover = findTestMover("kopia");
const why = "missing" in mover ? mover.missing : isReal ? "needs the embedded cluster" : undefined;
const ownImage = "headway:test";

let stage: ActionStage;
let folder: string;
beforeAll(async () => {
  if (why !== undefined) return;
  folder = mkdtempSync(join(tmpdir(), "stopped-"));
  const program = "program" in mover ? mover.program : "";
  // It stops itself where the copy begins, once; whoever lets it go on finds its id.
  writeFileSync(
    join(folder, "kopia"),
    `#!/bin/sh
case " $* " in *" snapshot create "*) echo $$ > ${folder}/pid.new; mv ${folder}/pid.new ${folder}/pid; kill -STOP $$ ;; esac
exec ${program} "$@"
`,
    { mode: 0o755 },
  );
  stage = await ActionStage.open({ first: folder });
  const headway = join(import.meta.dirname, "../../../bin/headway.js");
  stage.operator({ own: { image: ownImage, command: [process.execPath, headway] } });
  await stage.workload("StatefulSet", "db", { claim: "data" });
  await stage.exec("db-0", "sh", "-c", "echo first > /data/text");
});
afterAll(async () => {
  if (why !== undefined) return;
  await stage.close();
  rmSync(folder, { recursive: true, force: true });
});

const causesOf = ({ stall, children }: Operation): string[] => [
  ...(stall ? [stall.cause] : []),
  ...children.flatMap(causesOf),
];

test.skipIf(why !== undefined)(
  `a mover that is stopped in an action is told as a stall, and forgotten when it goes on${why ? ` (skipped: ${why})` : ""}`,
  async () => {
    const { client, namespace } = stage;
    mkdirSync(join(stage.folder, "store"));
    await client.create(resourceOf(kinds.Profile), {
      apiVersion: "cr.kanister.io/v1alpha1",
      kind: "Profile",
      metadata: { name: "folder", namespace },
      location: { type: "filesystem", bucket: "b", endpoint: join(stage.folder, "store") },
    });
    const args = { namespace, volume: "data", dataArtifactPrefix: "p", image: ownImage };
    const phase = { func: "CopyVolumeData", name: "copy", args };
    const object = { kind: "StatefulSet", name: "db", namespace };
    await stage.run("stopped", { phases: [phase] }, { object, profile: { name: "folder", namespace } });
    const read = async () => {
      const name = "actionset-stopped";
      const found = await client
        .get<OperationObject>(resourceOf(kinds.Operation), name, { namespace })
        .catch(() => undefined); // not made yet
      return found?.status ? causesOf(found.status) : [];
    };
    const causes = await eventually(read, (found) => found.length > 0, 120_000);
    expect(new Set(causes)).toEqual(new Set(["mover-silent"]));
    expect(existsSync(join(folder, "pid"))).toBe(true);
    process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), "SIGCONT");
    const end = await stage.until("stopped", ({ state }) => state === "complete" || state === "failed");
    expect(end?.error?.message ?? "").toBe("");
    expect(await eventually(read, (found) => found.length === 0)).toEqual([]);
  },
);
