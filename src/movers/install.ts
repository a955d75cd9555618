import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { AppError } from "../errors.ts";
import { findPrograms } from "./find.ts";
import { shown } from "./numbers.ts";
import { definitionOf, type MoverKind, moverKinds } from "./registry.ts";
import { capture, type Run } from "./spawn.ts";

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
  const { module, debian } = definitionOf(kind).install;
  if (debian !== undefined && machine.root && machine.apt !== undefined) {
    return { how: "apt", program: machine.apt, why: `Debian has a ${debian} package, and this is root` };
  }
  if (machine.go !== undefined) {
    return { how: "go", program: machine.go, why: `built with Go from ${module.path} ${module.version}` };
  }
  const ways = debian === undefined ? "Go is not here" : "neither apt-get as root nor Go is here";
  throw new AppError("MOVER_MISSING", `cannot install ${kind}: ${ways}`, { retry: false });
}

/** The mover that is got with the least effort: one with a package before one that must be built. */
export function quickestMover(): MoverKind {
  const [first] = moverKinds;
  return moverKinds.find((kind) => definitionOf(kind).install.debian !== undefined) ?? first;
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
      ["install", "-y", "--no-install-recommends", definitionOf(kind).install.debian ?? kind],
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
  const { path, main, version } = definitionOf(kind).install.module;
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
