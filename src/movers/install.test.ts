import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { install, machine, planInstall } from "./install.ts";

const root = await mkdtemp(join(tmpdir(), "install-"));
afterAll(() => rm(root, { recursive: true, force: true }));

const apt = "/usr/bin/apt-get";
const go = "/usr/bin/go";

test.each([
  ["restic", { root: true, apt, go }, "apt"],
  ["restic", { root: false, apt, go }, "go"],
  ["restic", { root: true, go }, "go"],
  ["kopia", { root: true, apt, go }, "go"],
] as const)("planInstall() of %s on %j is %s", (kind, machine, how) => {
  expect(planInstall(kind, machine)).toMatchObject({ how, program: how === "apt" ? apt : go });
});

test("planInstall() says what is missing", () => {
  expect(() => planInstall("kopia", { root: true, apt })).toThrow("cannot install kopia: Go is not here");
  expect(() => planInstall("restic", { root: false, apt })).toThrow("neither apt-get as root nor Go");
});

async function program(body: string): Promise<string> {
  const path = join(root, `program-${Math.random()}`);
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return path;
}

test("install() builds the pinned module and puts the program into the folder", async () => {
  const fake = await program(`echo "$*" >> ${root}/args; [ "$1" != build ] || printf '#!/bin/sh\\n' > "$3"`);
  const folder = join(root, "bin");
  const where = await install("kopia", { how: "go", program: fake, why: "" }, folder);
  expect(where).toBe(join(folder, "kopia"));
  expect(await readFile(where, "utf8")).toBe("#!/bin/sh\n");
  expect(await readFile(join(root, "args"), "utf8")).toContain(
    "mod edit -require=github.com/kopia/kopia@v0.21.1\n",
  );
});

test("machine() looks on PATH", async () => {
  await writeFile(join(root, "go"), "");
  await chmod(join(root, "go"), 0o755);
  expect(machine({ PATH: root })).toMatchObject({ go: join(root, "go"), apt: undefined });
});

test("install() tells why it failed", async () => {
  const fake = await program("echo 'E: Unable to locate package' >&2; exit 100");
  await expect(install("restic", { how: "apt", program: fake, why: "" }, root)).rejects.toMatchObject({
    code: "MOVER_MISSING",
    message: expect.stringContaining("Unable to locate package"),
  });
});
