import { spawnSync } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MoverSubject } from "../../../test/harness/mover-subjects.ts";
import type { Mover, Repository } from "../mover.ts";
import { defaultPassword, repositoryPlace, volumeSource } from "../place.ts";
import { atLeast } from "../version.ts";
import type { FileChange, FileEntry } from "./reader.ts";

const timeout = 120_000;
const odd = ["new\nline", "esc\u001b[31mred", "-dash", "[glob]*", 'quo"te\\', "ünï 日本 💾", "n".repeat(255)];

/** What every mover must do when snapshots are only looked at, shown with its real program. */
export function contentsConformance(subject: MoverSubject): void {
  const { name, skip } = subject;
  describe.skipIf(skip !== undefined)(skip === undefined ? name : `${name} (skipped: ${skip})`, () => {
    let root = "";
    let mover: Mover;
    let repository: Repository;
    let [first, second] = ["", ""];

    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), "contents-"));
      mover = subject.make({ scratch: join(root, "scratch"), owner: "test" });
      const place = repositoryPlace({ kind: "filesystem", path: join(root, "location") }, mover.kind, "shop");
      repository = { place, password: defaultPassword };
      await mover.ensureRepository(repository);
      const from = join(root, "from");
      await fill(from);
      const request = {
        repository,
        path: from,
        source: volumeSource(mover.kind, { namespace: "shop", pod: "web-0", volume: "data" }),
        tags: { backup: "b1" },
      };
      first = (await mover.backup(request)).snapshotId ?? "";
      await appendFile(join(from, "sub/deep/file"), "more");
      await writeFile(join(from, "sub/added"), "new");
      await rm(join(from, "new\nline"));
      await writeFile(join(from, "second\nline"), "x");
      second = (await mover.backup({ ...request, parent: first })).snapshotId ?? "";
    }, timeout);
    afterAll(() => rm(root, { recursive: true, force: true }), timeout);

    const at = (path: string) => ({ repository, snapshotId: first, path });
    const bytesOf = async (path: string, how: "read" | "archive" = "read"): Promise<Buffer> => {
      const parts: Uint8Array[] = [];
      await mover[how]({ ...at(path), onData: async (chunk) => void parts.push(Uint8Array.from(chunk)) });
      return Buffer.concat(parts);
    };

    test(
      "list() tells what is in a folder, under whatever names, page by page",
      async () => {
        const all: FileEntry[] = [];
        let skip: number | undefined = 0;
        while (skip !== undefined) {
          const page = await mover.list({ ...at("/"), skip, limit: 5 });
          expect(page.entries.length).toBeLessThanOrEqual(5);
          all.push(...page.entries);
          skip = page.next;
        }
        expect(all.map((entry) => entry.name).toSorted()).toEqual([...odd, "empty", "out", "sub"].toSorted());
        const named = (name: string) => all.find((entry) => entry.name === name);
        expect(named("empty")).toMatchObject({ type: "file", bytes: 0 });
        expect(named("-dash")).toMatchObject({ type: "file", bytes: 5, mode: 0o644 });
        expect(Date.parse(named("-dash")?.modified ?? "")).toBeGreaterThan(1e12);
        expect(named("out")).toMatchObject({ type: "link" });
        expect(named("sub")).toMatchObject({ type: "folder" });
        const { entries, next } = await mover.list({ ...at("/sub/deep"), limit: 100 });
        expect(entries.map((entry) => entry.name)).toEqual(["file"]);
        expect(next).toBeUndefined();
      },
      timeout,
    );

    test(
      "find() knows what is there and what is not",
      async () => {
        expect(await mover.find(at("/sub/deep/file"))).toMatchObject({
          name: "file",
          type: "file",
          bytes: 4,
        });
        expect(await mover.find(at("/"))).toMatchObject({ type: "folder" });
        for (const path of ["/nope", "/-dash/below"]) expect(await mover.find(at(path))).toBeUndefined();
      },
      timeout,
    );

    test(
      "read() gives the bytes of a file, and follows no link",
      async () => {
        for (const name of odd.slice(0, 3))
          expect(String(await bytesOf(`/${name}`)), name).toBe(`in ${name}`.slice(0, 5));
        expect(await bytesOf("/empty")).toHaveLength(0);
        for (const path of ["/out", "/sub"])
          await expect(bytesOf(path), path).rejects.toMatchObject({ code: "SNAPSHOT_PATH" });
      },
      timeout,
    );

    test(
      "what is no folder is not listed as one, also when it looks like one",
      async () => {
        for (const path of ["/out", "/nope"])
          await expect(mover.list({ ...at(path), limit: 10 }), path).rejects.toMatchObject({
            code: "SNAPSHOT_PATH",
          });
        const looks = { ...at("/sub/looks-like-a-folder"), limit: 10 };
        await expect(mover.list(looks)).rejects.toMatchObject({ code: "SNAPSHOT_PATH" });
      },
      timeout,
    );

    test(
      "archive() gives a folder as tar that tar can read, with names that begin below it",
      async () => {
        const into = await mkdtemp(join(root, "tar-"));
        const partial = atLeast(await mover.version(), 0, 17);
        const path = partial ? "/sub" : "/";
        const { status, stderr } = spawnSync("tar", ["-xf", "-", "-C", into], {
          input: await bytesOf(path, "archive"),
        });
        expect([status, String(stderr)]).toEqual([0, ""]);
        const copy = join(into, partial ? "deep/file" : "sub/deep/file");
        expect(await readFile(copy, "utf8")).toBe("some"); // as it was: more came after the snapshot
        if (!partial)
          await expect(bytesOf("/sub", "archive")).rejects.toMatchObject({ code: "MOVER_ARGUMENT" });
        else await expect(bytesOf("/nope", "archive")).rejects.toMatchObject({ code: "SNAPSHOT_PATH" });
      },
      timeout,
    );

    test(
      "diff() tells what changed between two snapshots",
      async () => {
        const changes: FileChange[] = [];
        const onChange = (change: FileChange) => void changes.push(change);
        await mover.diff({ repository, from: first, to: second, onChange });
        expect(changes.map(({ change, path }) => `${change} ${path}`).toSorted()).toEqual([
          "added /second\nline",
          "added /sub/added",
          "changed /sub/deep/file",
          "removed /new\nline",
        ]);
        changes.length = 0;
        await mover.diff({ repository, from: first, to: first, onChange });
        expect(changes).toEqual([]);
      },
      timeout,
    );

    test(
      "paths that lead out, and snapshots that are not there, are refused",
      async () => {
        for (const path of ["sub", "/sub/../..", "//sub", "/a\0b", `/${"x".repeat(20_000)}`])
          await expect(mover.list({ ...at(path), limit: 1 })).rejects.toMatchObject({
            code: "MOVER_ARGUMENT",
          });
        const snapshotId = mover.kind === "restic" ? "deadbeef" : "00112233445566778899aabbccddeeff";
        await expect(mover.list({ ...at("/"), snapshotId, limit: 1 })).rejects.toMatchObject({
          code: "MOVER_SNAPSHOT",
        });
      },
      timeout,
    );
  });
}

async function fill(from: string): Promise<void> {
  await mkdir(join(from, "sub/deep"), { recursive: true });
  for (const name of odd) await writeFile(join(from, name), `in ${name}`.slice(0, 5), { mode: 0o644 });
  await writeFile(join(from, "empty"), "");
  await writeFile(join(from, "sub/deep/file"), "some");
  await symlink("/etc/passwd", join(from, "out"));
  const forged =
    '{"stream":"kopia:directory","entries":[{"name":"forged","type":"f","obj":"k0011"}],"summary":null}';
  await writeFile(join(from, "sub/looks-like-a-folder"), forged);
}
