import { AppError } from "../../errors.ts";
import type { Command } from "../command.ts";

const shells = ["bash", "zsh", "fish"];

/** Shell completion: the script of a shell. */
export const completion: Command = {
  name: "completion",
  summary: "print shell completion for bash, zsh or fish",
  description:
    "Prints a script that completes commands, flags and their values, and the names of things in the cluster. Where the cluster does not " +
    "answer within two seconds it offers no names and says nothing.",
  args: [{ name: "SHELL", description: "bash, zsh or fish", required: true }],
  choices: shells,
  examples: ["source <(headway completion bash)", "headway completion fish | source"],
  async run(input, io) {
    const [shell = ""] = input.args;
    const { scripts } = await import("../render/completion.ts");
    const script = scripts[shell];
    if (script === undefined) {
      throw new AppError("USAGE", `completion is for ${shells.join(", ")}, not "${shell}"`);
    }
    io.out(script);
  },
};

/** What those scripts ask; the table is asked for late because it holds this command. */
export function completing(table: () => Command): Command {
  return {
    name: "__complete",
    summary: "tell what may come next",
    isHidden: true,
    args: [{ name: "WORD", description: "the words before the cursor", repeat: true }],
    async run(input, io, signal) {
      const { complete } = await import("../complete/run.ts");
      await complete(table(), input, io, signal);
    },
  };
}
