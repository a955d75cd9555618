import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ActionSet, kinds } from "../../../src/api/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { ActionStage } from "../../harness/action-stage.ts";
import { eventually } from "../../harness/eventually.ts";

// HEADWAY_LONG=1: hundreds; the figures are in bench/RESULTS.md.
const isLong = process.env["HEADWAY_LONG"] === "1";
const count = isLong ? 300 : 40;

let stage: ActionStage;
beforeAll(async () => {
  stage = await ActionStage.open();
  await stage.workload("StatefulSet", "db", { replicas: 1 });
}, 180_000);
afterAll(() => stage.close());

/** What a phase of the ActionSet with this number says of itself. */
const uploaded = (i: number) => 1_000 + i;

test(
  `${count} ActionSets at once all end well, each with its own numbers, in bounded memory`,
  async () => {
    const { namespace, client } = stage;
    const progress = `{\\"percent\\": 50, \\"sizeUploadedB\\": {{ add 1000 (.Options.i | int) }}, \\"message\\": \\"set {{ .Options.i }}\\"}`;
    const output = `{\\"key\\":\\"who\\",\\"value\\":\\"{{ .Options.i }}\\"}`;
    const script = `echo "###progress###: ${progress}"; sleep 3; echo "###Phase-output###: ${output}"`;
    const spec = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: crowd-{{ .Options.i }}\n";
    await stage.blueprint("crowd", {
      run: {
        phases: [
          { func: "KubeOps", name: "make", args: { operation: "create", namespace, spec } },
          { func: "KubeExec", name: "say", args: { namespace, pod: "db-0", command: ["sh", "-c", script] } },
        ],
      },
    });
    const operator = stage.process();
    const beganAt = Date.now();
    const numbers = Array.from({ length: count }, (_, i) => i);
    for (let from = 0; from < count; from += 20) {
      const some = numbers.slice(from, from + 20);
      await Promise.all(
        some.map((i) => stage.set(`crowd-${i}`, { name: "run", blueprint: "crowd", options: { i: `${i}` } })),
      );
    }
    let [mixed, told, together] = [0, 0, 0];
    const ends = await eventually(
      async () => {
        const all = await client.list<ActionSet>(resourceOf(kinds.ActionSet), { namespace });
        together = Math.max(together, all.filter(({ status }) => status?.state === "running").length);
        for (const { metadata, status } of all) {
          const i = Number(metadata.name.slice("crowd-".length));
          const { step, progress: said } = status?.actions?.[0]?.phases?.[1] ?? {};
          if (step?.startsWith("set ")) told += 1;
          if (step?.startsWith("set ") && step !== `set ${i}`) mixed += 1;
          if (said?.sizeUploadedB !== undefined && said.sizeUploadedB !== uploaded(i)) mixed += 1;
        }
        return all;
      },
      (all) => all.every(({ status }) => status?.state === "complete" || status?.state === "failed"),
      isLong ? 900_000 : 150_000,
    );
    const tookMs = Date.now() - beganAt;
    const peakKib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${operator.pid}/status`, "utf8"))?.[1]);
    const exited = once(operator, "exit");
    operator.kill("SIGTERM");
    await exited;
    if (isLong) console.log({ count, together, told, tookMs, peakMib: Math.round(peakKib / 1024) });
    expect(ends.map(({ status }) => status?.error?.message).filter(Boolean)).toEqual([]);
    for (const { metadata, status } of ends) {
      const phase = status?.actions?.[0]?.phases?.[1];
      const i = Number(metadata.name.slice("crowd-".length));
      expect(phase?.output).toEqual({ who: `${i}` });
      expect(phase?.progress?.sizeUploadedB).toBe(uploaded(i));
    }
    expect(mixed).toBe(0);
    expect(told).toBeGreaterThan(0);
    expect(together).toBeGreaterThan(count / 10);
    expect(peakKib / 1024).toBeLessThan(600);
  },
  isLong ? 1_000_000 : 240_000,
);
