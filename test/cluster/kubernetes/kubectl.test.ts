// The same kubectl commands on the embedded cluster and on the real one of KUBECONFIG say the same, after normalising what two
// clusters cannot have in common.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Plane, startPlane } from "../../../packages/plane/index.ts";
import { normal } from "./kubectl-normal.ts";
import { type Step, steps } from "./kubectl-steps.ts";

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

describe("kubectl", () => {
  const namespace = `kubectl-${Math.random().toString(36).slice(2, 7)}`;
  const folder = mkdtempSync(join(tmpdir(), "kubectl-"));
  let plane: Plane;
  let said: { readonly ours: Said[]; readonly theirs: Said[] };

  beforeAll(async () => {
    plane = await startPlane({ stateDir: join(folder, "state") });
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, plane.kubeconfig(), { mode: 0o600 });
    const [ours, theirs] = await Promise.all([
      script(kubeconfig, join(folder, "ours")),
      script(process.env["KUBECONFIG"] ?? "", join(folder, "theirs")),
    ]);
    said = { ours, theirs };
  }, 600_000);

  afterAll(async () => {
    await plane.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function script(kubeconfig: string, cache: string): Promise<Said[]> {
    const all: Said[] = [];
    const node = (await run(kubeconfig, cache, { args: "get nodes -o jsonpath={.items[0].metadata.name}" }))
      .out;
    for (const step of steps) {
      const { code, out: whole, err } = await asked(kubeconfig, cache, step);
      const out = step.last ? (whole.trim().split("\n").at(-1) ?? "") : whole;
      all.push({ code, out: normal(out, { namespace, node }), err: normal(err, { namespace, node }) });
    }
    return all;
  }

  async function asked(kubeconfig: string, cache: string, step: Step): Promise<Said> {
    const end = Date.now() + 60_000;
    for (;;) {
      const all = await run(kubeconfig, cache, step);
      if (!step.until || step.until.test(all.out) || Date.now() > end) return all;
    }
  }

  function run(kubeconfig: string, cache: string, step: Step): Promise<Said> {
    const words = step.args.split(" ").map((word) => word.replaceAll("NAMESPACE", namespace));
    const args = ["--cache-dir", cache, "-n", namespace, ...words];
    const child = spawn("kubectl", step.command ? [...args, "--", ...step.command] : args, {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      timeout: 120_000,
    });
    child.stdin.end(step.input ?? "");
    let [out, err] = ["", ""];
    let begun = false;
    return new Promise((done, fail) => {
      child.on("error", fail);
      child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
      child.stdout.on("data", (chunk: Buffer) => {
        out += chunk.toString();
        if (step.lines === undefined) return;
        if (!begun && step.meanwhile) {
          begun = true;
          void (async () => {
            for (const one of step.meanwhile ?? []) await run(kubeconfig, cache, one);
          })();
        }
        if (out.split("\n").length > step.lines) child.kill("SIGKILL");
      });
      child.on("close", (code) => done({ code, out, err }));
    });
  }

  test.each(steps.map((step, i) => [`${i + 1}. kubectl ${step.args.slice(0, 90)}`, i] as const))(
    "%s",
    (_name, i) => {
      const [ours, theirs] = [said.ours[i], said.theirs[i]];
      if (steps[i]?.lines === undefined)
        expect(theirs?.code === 0, theirs?.err).toBe(steps[i]?.fails !== true);
      expect(ours).toEqual(theirs);
    },
  );
});
