import { type Command, outputFlag, text } from "../command.ts";

export const version: Command = {
  name: "version",
  summary: "print the version",
  flags: [outputFlag("json", "yaml")],
  async run(input, io) {
    const { readPackage } = await import("../../package.ts");
    const about = await readPackage();
    const facts = { name: about.name, version: about.version, node: process.versions.node };
    const { structured } = await import("../render/structured.ts");
    const format = text(input, "output");
    io.out(
      format === undefined
        ? `${facts.name} ${facts.version} (Node ${facts.node})\n`
        : await structured(facts, format),
    );
  },
};
