import { AppError } from "../../errors.ts";
import { type Command, given, outputFlag, text } from "../command.ts";

/** Data movers on this machine. */
export const mover: Command = {
  name: "mover",
  summary: "find and get the data movers restic and kopia",
  commands: [
    {
      name: "list",
      summary: "list the movers that are found, and which are used",
      description: "Looks on PATH, in HEADWAY_MOVERS and in Headway's cache ($XDG_CACHE_HOME/headway/bin).",
      flags: [outputFlag("json", "yaml")],
      exits: { 1: "there is no mover that can be used" },
      async run(input, io, signal) {
        const { listMovers, moverFolders, moverKinds } = await import("../../movers/index.ts");
        const found = await listMovers(moverFolders({ ...io.env }), signal);
        const missing = moverKinds.filter((kind) => !found.some((one) => one.kind === kind && one.used));
        const format = text(input, "output");
        if (format !== undefined) {
          const { structured } = await import("../render/structured.ts");
          io.out(await structured(found, format));
        } else {
          const { table } = await import("../render/table.ts");
          const rows = found.map(({ kind, version, program, supported, used }) => [
            kind,
            version ?? "unknown",
            used ? "used" : supported ? "spare" : "not supported",
            program,
          ]);
          io.out(table(["MOVER", "VERSION", "STATE", "PATH"], rows));
        }
        for (const kind of missing) io.err(`no usable ${kind}: headway mover install ${kind}\n`);
        // One is enough to copy volumes.
        return missing.length === moverKinds.length ? 1 : 0;
      },
    },
    {
      name: "install",
      summary: "get the movers that are missing",
      description:
        "Takes Debian's restic package as root, else builds the tested version with Go into Headway's cache.",
      args: [{ name: "mover", description: "restic or kopia (default: what is missing)" }],
      flags: [{ name: "dry-run", description: "say what would be done, and why" }],
      examples: ["headway mover install kopia"],
      async run(input, io, signal) {
        const movers = await import("../../movers/index.ts");
        const [asked] = input.args;
        const kind = movers.moverKinds.find((known) => known === asked);
        if (asked !== undefined && kind === undefined) {
          throw new AppError(
            "USAGE",
            `there is no mover "${asked}", only ${movers.moverKinds.join(" and ")}`,
          );
        }
        const env = { ...io.env };
        const found = await movers.listMovers(movers.moverFolders(env), signal);
        const wanted = kind === undefined ? movers.moverKinds : [kind];
        for (const one of wanted) {
          const there = found.find((other) => other.kind === one && other.used);
          if (there !== undefined) {
            io.err(`${one} ${there.version ?? ""} is here: ${there.program}\n`);
            continue;
          }
          const plan = movers.planInstall(one, movers.machine(env));
          io.err(`${one}: ${plan.why}\n`);
          if (!given(input, "dry-run"))
            io.out(`${await movers.install(one, plan, movers.moverCache(env), signal)}\n`);
        }
      },
    },
  ],
};
