import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openStage } from "./stage.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "stage-"))));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test("where pods cannot have their volumes, the demo says so at once and what to do", async () => {
  vi.stubEnv("PATH", folder); // no unshare, as where the system does not allow it
  const mover = { kind: "restic", folder } as const;
  const opened = openStage(
    { name: "blue", folder: join(folder, "demo"), mover },
    AbortSignal.timeout(60_000),
  );
  await expect(opened).rejects.toMatchObject({
    code: "DEMO_FAILED",
    message: expect.stringMatching(/no mount namespaces: run it as root on Linux, or allow user namespaces/),
  });
  expect(existsSync(join(folder, "demo", "operator.log"))).toBe(false);
});
