import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { rolldown } from "rolldown";

const repository = join(import.meta.dirname, "../..");
/** The mark in Node's own program by which it knows that something was put into it. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Files that the program reads at run time, by the names under which it asks for them. */
export function assetsOf(root: string): Readonly<Record<string, string>> {
  const page = join(root, "dist/ui");
  const files = existsSync(page) ? readdirSync(page, { recursive: true, withFileTypes: true }) : [];
  const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    [join(root, "package.json"), ...paths.toSorted()].map((path) => [relative(root, path), path]),
  );
}

/**
 * Makes one file that is the whole program: Node with our code, bundled, and the page inside. `work` is a folder for what is in between.
 * Modules of plugins are not in it: they are threads with files of their own, and belong to the operator, which has its image.
 */
export async function makeExecutable(file: string, work: string): Promise<void> {
  const bundle = join(work, "main.cjs");
  const built = await rolldown({
    input: join(repository, "src/main.ts"),
    platform: "node",
    transform: {
      define: {
        "import.meta.dirname": "__dirname",
        "import.meta.filename": "__filename",
        "import.meta.url": "__ownUrl",
      },
    },
  });
  await built.write({
    file: bundle,
    format: "cjs",
    codeSplitting: false,
    minify: true,
    banner: 'const __ownUrl = require("node:url").pathToFileURL(__filename).href;',
    footer: "exports.main();",
  });
  await built.close();
  const config = join(work, "sea.json");
  const blob = join(work, "sea.blob");
  const settings = {
    main: bundle,
    output: blob,
    disableExperimentalSEAWarning: true,
    // Without it the start takes longer than that of a clone. Its bytes are different in every build, which is the price.
    useCodeCache: true,
    assets: assetsOf(repository),
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(process.execPath, ["--experimental-sea-config", config], { stdio: "ignore" });
  copyFileSync(process.execPath, file);
  chmodSync(file, 0o755);
  const inject = createRequire(import.meta.url).resolve("postject/dist/cli.js");
  const args = [inject, file, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse];
  execFileSync(process.execPath, args, { stdio: "ignore" });
}
