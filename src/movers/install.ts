import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { AppError } from "../errors.ts";
import { findPrograms } from "./find.ts";
import type { MoverKind } from "./mover.ts";
import { shown } from "./numbers.ts";
import { capture, type Run } from "./spawn.ts";

/** The modules that are built where no package is at hand, at the versions that are tested. */
const modules: Readonly<
  Record<MoverKind, { readonly path: string; readonly main: string; readonly version: string }>
> = {
  restic: {
    path: "github.com/restic/restic",
    main: "github.com/restic/restic/cmd/restic",
    version: "v0.18.0",
  },
  kopia: { path: "github.com/kopia/kopia", main: "github.com/kopia/kopia", version: "v0.21.1" },
};

/** What this machine offers for getting programs. */
export interface Machine {
  readonly root: boolean;
  /** The path of apt-get, undefined when there is none. */
  readonly apt?: string | undefined;
  /** The path of go, undefined when there is none. */
  readonly go?: string | undefined;
}

/** Looks at this machine. */
export function machine(env: NodeJS.ProcessEnv): Machine {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const [apt] = findPrograms("apt-get", folders);
  const [go] = findPrograms("go", folders);
  return { root: process.getuid?.() === 0, apt, go };
}

/** How a mover will be got, and why so. */
export type Plan =
  | { readonly how: "apt"; readonly program: string; readonly why: string }
  | { readonly how: "go"; readonly program: string; readonly why: string };

/** Decides how to get a mover: Debian's package where that is possible, else a build of the pinned module. */
export function planInstall(kind: MoverKind, machine: Machine): Plan {
  if (kind === "restic" && machine.root && machine.apt !== undefined) {
    return { how: "apt", program: machine.apt, why: "Debian has a restic package, and this is root" };
  }
  if (machine.go !== undefined) {
    const { path, version } = modules[kind];
    return { how: "go", program: machine.go, why: `built with Go from ${path} ${version}` };
  }
  const ways = kind === "restic" ? "neither apt-get as root nor Go is here" : "Go is not here";
  throw new AppError("MOVER_MISSING", `cannot install ${kind}: ${ways}`, { retry: false });
}

/** Carries a plan out; a built program goes into the folder. Returns where the program is. */
export async function install(
  kind: MoverKind,
  plan: Plan,
  folder: string,
  signal?: AbortSignal,
): Promise<string> {
  if (plan.how === "apt") {
    const env = { ...ours(), DEBIAN_FRONTEND: "noninteractive" };
    // A new machine has no package lists, or old ones.
    for (const args of [
      ["update", "-q"],
      ["install", "-y", "--no-install-recommends", kind],
    ]) {
      await must(kind, { program: plan.program, args, env }, signal);
    }
    return `/usr/bin/${kind}`;
  }
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), "headway-build-"));
  try {
    await build(kind, { go: plan.program, work, target: join(folder, kind) }, signal);
    return join(folder, kind);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** A throw-away module that requires just that version: `go install` refuses modules with replacements. */
async function build(
  kind: MoverKind,
  { go, work, target }: { readonly go: string; readonly work: string; readonly target: string },
  signal?: AbortSignal,
): Promise<void> {
  const { path, main, version } = modules[kind];
  // CGO off: the program must also run in an image without a C library.
  const env = { ...ours(), CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false -mod=mod" };
  const part = `${target}.part`;
  for (const args of [
    ["mod", "init", "local/mover"],
    ["mod", "edit", `-require=${path}@${version}`],
    ["build", "-o", part, main],
  ]) {
    await must(kind, { program: go, args, env, cwd: work }, signal);
  }
  await rename(part, target);
}

async function must(kind: MoverKind, what: Run, signal?: AbortSignal): Promise<void> {
  const end = await capture(what, signal);
  if (end.exitCode === 0) return;
  const said = shown(end.errTail.split("\n").slice(-3).join("; "));
  const asked = `${what.program} ${what.args.join(" ")}`;
  throw new AppError("MOVER_MISSING", `cannot install ${kind}: "${asked}" failed: ${said}`);
}

/** A build needs its home, its proxy and its cache: the whole environment. */
function ours(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
