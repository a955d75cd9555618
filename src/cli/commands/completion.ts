import { AppError } from "../../errors.ts";
import type { Command } from "../command.ts";

/** Shell completion, written from the same table that parses; the table is asked for late because it holds this command. */
export function completion(table: () => Command): Command {
  return {
    name: "completion",
    summary: "print shell completion for bash, zsh or fish",
    args: [{ name: "SHELL", description: "bash, zsh or fish", required: true }],
    examples: ["source <(headway completion bash)", "headway completion fish | source"],
    async run(input, io) {
      const [shell = ""] = input.args;
      const { scripts } = await import("../render/completion.ts");
      const script = scripts[shell];
      if (!script) {
        throw new AppError("USAGE", `completion is for ${Object.keys(scripts).join(", ")}, not "${shell}"`);
      }
      io.out(script(table()));
    },
  };
}
