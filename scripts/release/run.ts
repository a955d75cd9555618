// Makes a release: everything that is uploaded, in one folder, with checksums. Nothing leaves the machine.
//   npm run release -- VERSION --out FOLDER     needs restic and kopia: test/parts/build movers
//   npm run release -- VERSION --changelog      writes the section of the version into CHANGELOG.md, and nothing else
// SOURCE_DATE_EPOCH is the moment of the release; the same commit and moment give the same bytes, but for V8's cache in the single executable.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import about from "../../package.json" with { type: "json" };
import { partFolder } from "../../test/harness/parts.ts";
import { chartArchives, goArch, imageArchive, packForNpm, programArchive } from "./artefacts.ts";
import { readFragment, section, withSection } from "./changelog.ts";
import { makeExecutable } from "./executable.ts";
import { krewManifest } from "./krew.ts";
import { type Program, sbom } from "./sbom.ts";

const repository = join(import.meta.dirname, "../..");
process.umask(0o022);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    changelog: { type: "boolean", default: false },
    "no-build": { type: "boolean", default: false },
    url: { type: "string", default: "https://example.com/headway" },
  },
});
const [version = ""] = positionals;
if (version !== about.version) {
  throw new Error(
    `package.json has version ${about.version}, not "${version}": run npm version first, then npm run gen`,
  );
}
const moment = new Date(Number(process.env["SOURCE_DATE_EPOCH"] ?? Math.floor(Date.now() / 1000)) * 1000);
const unreleased = join(repository, "changes/unreleased");
const fragments = readdirSync(unreleased).map((file) =>
  readFragment(file, readFileSync(join(unreleased, file), "utf8")),
);
const notes = section(version, moment.toISOString().slice(0, 10), fragments);

if (values.changelog) {
  const file = join(repository, "CHANGELOG.md");
  writeFileSync(file, withSection(readFileSync(file, "utf8"), version, notes));
} else if (values.out === undefined) {
  throw new Error("usage: npm run release -- VERSION --out FOLDER | --changelog");
} else await release(resolve(values.out));

async function release(out: string): Promise<void> {
  mkdirSync(out, { recursive: true });
  if (readdirSync(out).length > 0) throw new Error(`${out} is not empty`);
  const work = mkdtempSync(join(tmpdir(), "headway-release-"));
  const write = (name: string, content: Buffer | string) => {
    writeFileSync(join(out, name), content);
    process.stdout.write(`${sha256(name)}  ${name}\n`);
  };
  const sha256 = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(out, name)))
      .digest("hex");
  try {
    if (!values["no-build"])
      execFileSync("npm", ["run", "--silent", "build"], { cwd: repository, stdio: "inherit" });
    packForNpm(out);
    const movers = ["restic", "kopia"].map((name) => partFolder(name)).join(delimiter);
    execFileSync(process.execPath, ["scripts/image-root.ts", join(work, "root"), movers], {
      cwd: repository,
    });
    const image = imageArchive(join(work, "root"), version, moment.toISOString().replace(".000Z", "Z"));
    write(`headway-${version}-image-linux-${goArch()}.tar`, image.tar);
    const chart = chartArchives(join(repository, "deploy/chart"), version);
    write(`headway-chart-${version}.tgz`, chart.packed);
    write(`headway-chart-${version}-oci.tar`, chart.tar);
    const archive = `headway-${version}-linux-${process.arch}.tar.gz`;
    write(archive, programArchive(join(work, "program")));
    const single = `headway-linux-${process.arch}`;
    await makeExecutable(join(out, single), work);
    process.stdout.write(`${sha256(single)}  ${single}\n`);
    const platform = { os: "linux", arch: goArch(), file: archive, sha256: sha256(archive) };
    write("headway.krew.yaml", krewManifest(version, values.url, [platform]));
    const lock: unknown = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8"));
    write(`headway-${version}.cdx.json`, `${JSON.stringify(sbom(version, lock, programs()), null, 2)}\n`);
    const digests = `Image: \`${image.digest}\`, chart: \`${chart.digest}\`\n`;
    write("notes.md", `${notes}\n### Digests\n\n${digests}`);
    const sums = readdirSync(out)
      .toSorted()
      .map((name) => `${sha256(name)}  ${name}\n`);
    writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** What the image holds beside packages of npm; busybox and the C library come from the machine that makes it. */
function programs(): Program[] {
  const of = (name: string, module: string) => {
    const found = partFolder(name).split("-").at(-1) ?? "";
    return { name, version: found, purl: `pkg:golang/${module}@${found}` };
  };
  const node = process.version.slice(1);
  return [
    { name: "node", version: node, purl: `pkg:generic/node@${node}` },
    of("restic", "github.com/restic/restic"),
    of("kopia", "github.com/kopia/kopia"),
  ];
}
