import { execFile, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";
import { launcher } from "../../harness/headway-process.ts";
import { Upstream } from "../../harness/upstream.ts";

const folder = mkdtempSync(join(tmpdir(), "completion-"));
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await openCluster();
  await installDefinitions(cluster.client);
  await new Upstream(cluster.client, cluster.namespace).backup("nightly");
  const program = join(folder, "headway");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`);
  chmodSync(program, 0o755);
});
afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true });
});

/** What bash offers when the key is pressed at the end of a line. */
async function offered(line: string): Promise<string[]> {
  const words = line.split(" ");
  const script = `
    source <(headway completion bash)
    COMP_LINE=${JSON.stringify(line)} COMP_POINT=${line.length}
    COMP_WORDS=(${words.map((word) => JSON.stringify(word)).join(" ")}) COMP_CWORD=${words.length - 1}
    _headway
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, KUBECONFIG: cluster.kubeconfig };
  // The cluster is in this process: it must not wait while the shell asks.
  const { stdout } = await promisify(execFile)("bash", ["-c", script], { env });
  return stdout.split("\n").filter(Boolean);
}

test("bash completes commands, flags behind arguments, values, and names from the cluster", async () => {
  expect(await offered("headway back")).toEqual(["backup"]);
  expect(await offered("headway backup create x --st")).toEqual(["--storage-location"]);
  expect(await offered("headway backup get -o w")).toEqual(["wide"]);
  const lines = [
    `headway -n ${cluster.namespace} describe backup n`,
    `headway restore create -n ${cluster.namespace} --from-backup `,
  ];
  for (const line of lines) {
    // It gives up after two seconds, which a machine that does much else may need for a connection.
    const names = await eventually(
      () => offered(line),
      (found) => found.length > 0,
    );
    expect(names).toEqual(["nightly"]);
  }
});

test("a cluster that is away makes completion neither slow nor loud", () => {
  const begun = performance.now();
  const away = spawnSync(process.execPath, [launcher, "__complete", "--", "backup", "describe", ""], {
    encoding: "utf8",
    env: { ...process.env, KUBECONFIG: join(folder, "nothing") },
  });
  expect(away).toMatchObject({ status: 0, stdout: "", stderr: "" });
  expect(performance.now() - begun).toBeLessThan(10_000);
});
