import type { Command } from "../command.ts";

export const blueprint: Command = {
  name: "blueprint",
  summary: "check blueprints",
  aliases: ["blueprints"],
  commands: [
    {
      name: "validate",
      summary: "find every problem of blueprints in files",
      description:
        "Looks for unknown functions and arguments, missing arguments, repeated names, templates that cannot be parsed and templates that read " +
        "what cannot be there. Nothing is asked of a cluster.",
      args: [{ name: "FILE", description: "files with blueprints", required: true, repeat: true }],
      exits: { 1: "a blueprint has an error; warnings alone are 0" },
      examples: ["headway blueprint validate mysql.yaml mongo.yaml"],
      async run(input, io) {
        const { validateBlueprints } = await import("../blueprint/validate.ts");
        return validateBlueprints(input, io);
      },
    },
  ],
};
