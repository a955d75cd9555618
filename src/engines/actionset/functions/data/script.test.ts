import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { moverSubjects } from "../../../../../test/harness/mover-subjects.ts";
import {
  definitionOf,
  processMark,
  resultMark,
  type ShellRestore,
  totalMark,
} from "../../../../movers/index.ts";
import type { ProfileParams } from "../../params.ts";
import { summaryOf } from "./mover-run.ts";
import { repositoryAt } from "./repository.ts";
import {
  backupScript,
  checkScript,
  deleteScript,
  type MoverScript,
  restoreScript,
  statsScript,
} from "./script.ts";

const root = await mkdtemp(join(tmpdir(), "script-"));
afterAll(() => rm(root, { recursive: true, force: true }));

const profile: ProfileParams = {
  name: "p",
  location: { type: "filesystem", bucket: "b", endpoint: join(root, "store"), prefix: "", region: "" },
  credential: { type: "keyPair" },
  skipSslVerify: false,
};

// The scripts in a real shell, with each real mover as the only one of its image.
for (const { name, kind, program, skip } of moverSubjects) {
  describe.skipIf(skip !== undefined)(`${name}${skip === undefined ? "" : ` (skipped: ${skip})`}`, () => {
    const place = repositoryAt(profile, `of/${name.replace(" ", "-")}`, { encryptionKey: "key" });

    async function sh({ text, env }: MoverScript): Promise<string[]> {
      const bin = await mkdtemp(join(root, "bin-"));
      // A copy lasts long enough to be looked at, however fast the machine is.
      const slow = `#!/bin/sh\ncase " $* " in *" backup "* | *" create "*) sleep 2 ;; esac\nexec ${program} "$@"\n`;
      await writeFile(join(bin, kind), slow, { mode: 0o755 });
      const { stdout } = await promisify(execFile)("sh", ["-c", text], {
        env: { ...env, PATH: `${bin}:/usr/bin:/bin`, HOME: root },
      }).catch((error: { readonly stdout?: string; readonly stderr?: string }) => {
        throw new Error(`${error.stdout}\n${error.stderr}`);
      });
      return stdout.split("\n");
    }

    /** The same work by the program of ours, as a pod of its image does it. */
    async function ours({ task }: MoverScript): Promise<string[]> {
      const bin = await mkdtemp(join(root, "bin-"));
      await symlink(program ?? "", join(bin, kind));
      const headway = join(import.meta.dirname, "../../../../../bin/headway.js");
      const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: root, HEADWAY_TASK: JSON.stringify(task) };
      const { stdout } = await promisify(execFile)(process.execPath, [headway, "data-task"], { env });
      return stdout.split("\n");
    }

    const resultOf = (lines: readonly string[]) => {
      const line = lines.find((one) => one.startsWith(resultMark)) ?? "";
      const [, mover = "", json = "{}"] = /^ (\w+) (.*)$/.exec(line.slice(resultMark.length)) ?? [];
      expect(mover).toBe(kind);
      return JSON.parse(json) as Record<string, unknown>;
    };

    test("a folder goes, comes back and is deleted, and the process is looked at", {
      timeout: 120_000,
    }, async () => {
      const from = join(root, `from-${name}`);
      await mkdir(from);
      const data = randomBytes(40 << 20);
      await writeFile(join(from, "one"), data);
      const backup = await sh(backupScript(place, from, "t1", undefined));
      const { summary } = definitionOf(kind).shell;
      const { id, bytes, files } = summary(resultOf(backup));
      expect([bytes, files]).toEqual([data.length, 1]);
      expect(definitionOf(kind).snapshot.fits(id)).toBe(true);
      const processes = backup.filter((line) => line.startsWith(processMark));
      expect(processes.length).toBeGreaterThan(0);
      for (const line of processes) expect(line).toMatch(/^###headway-process###: [A-Z] \d+ \d+$/);

      expect(summary(resultOf(await sh(statsScript(place, id, "restore-size", undefined)))).bytes).toBe(
        data.length,
      );
      const to = join(root, `to-${name}`);
      await mkdir(to);
      const restore = await sh(restoreScript(place, { id, tag: "", subPath: "", target: to }, undefined));
      const back = await readFile(join(to, from, "one"));
      expect(createHash("sha256").update(back).digest("hex")).toBe(
        createHash("sha256").update(data).digest("hex"),
      );
      // Only a mover that says nothing in a restore is measured.
      expect(restore.filter((line) => line.startsWith(totalMark))).toEqual(
        name === "restic 0.14" ? [`${totalMark} ${data.length}`] : [],
      );
      expect(resultOf(await sh(checkScript(place, undefined)))).toEqual({});
      const wrong = repositoryAt(profile, `of/${name.replace(" ", "-")}`, { encryptionKey: "another" });
      expect(resultOf(await sh(checkScript(wrong, undefined)))).toEqual({ password: true });
      await sh(deleteScript(place, [{ id: "", tag: "t1" }], false, undefined));
    });

    test("what the script keeps the program of ours brings back, and the other way round", {
      timeout: 180_000,
    }, async () => {
      const from = join(root, `both-${name}`);
      await mkdir(join(from, "sub"), { recursive: true });
      await writeFile(join(from, "one"), "first");
      await writeFile(join(from, "sub", "two"), "second");
      const at = repositoryAt(profile, `both/${name.replace(" ", "-")}`, { encryptionKey: "key" });
      const summary = (lines: readonly string[]) => summaryOf({ mover: kind, json: resultOf(lines) });
      const byScript = summary(await sh(backupScript(at, from, "s1", undefined)));
      const byUs = summary(await ours(backupScript(at, from, "o1", undefined)));
      expect([byUs.bytes, byUs.files, byUs.failed]).toEqual([11, 2, 0]);
      expect(definitionOf(kind).snapshot.fits(byUs.id)).toBe(true);
      const wanted: [ShellRestore, way: typeof sh, path: string][] = [
        [{ id: byScript.id, tag: "", subPath: "", target: "" }, ours, join(from, "sub", "two")],
        [{ id: "", tag: "o1", subPath: join(from, "sub"), target: "" }, ours, "two"],
        [{ id: byUs.id, tag: "", subPath: "", target: "" }, sh, join(from, "sub", "two")],
      ];
      // Before 0.16 restic knows no parts of snapshots.
      const known = name === "restic 0.14" ? wanted.filter(([{ subPath }]) => subPath === "") : wanted;
      for (const [restore, way, path] of known) {
        const target = await mkdtemp(join(root, "back-"));
        await way(restoreScript(at, { ...restore, target }, undefined));
        expect(await readFile(join(target, path), "utf8"), JSON.stringify(restore)).toBe("second");
      }
      const wrong = repositoryAt(profile, `both/${name.replace(" ", "-")}`, { encryptionKey: "another" });
      expect(resultOf(await ours(checkScript(wrong, undefined)))).toEqual({ password: true });
      const removed = resultOf(
        await ours(
          deleteScript(
            at,
            [
              { id: "", tag: "s1" },
              { id: byUs.id, tag: "" },
            ],
            true,
            undefined,
          ),
        ),
      );
      expect(Object.keys(removed)).toHaveLength(1);
      await expect(
        sh(restoreScript(at, { id: "", tag: "o1", subPath: "", target: root }, undefined)),
      ).rejects.toThrow();
    });
  });
}
