import type { Command } from "../command.ts";

const missingkey = {
  name: "missingkey",
  value: "WHAT",
  description: "what a key that a map does not have gives",
  choices: ["default", "zero", "error"],
  default: "default",
} as const;

export const template: Command = {
  name: "template",
  summary: "render Go templates with sprig, as blueprints use them",
  commands: [
    {
      name: "render",
      summary: "render one template",
      description:
        "Renders a Go template with the functions of sprig 2.22. Numbers of the data are float64, as Go decodes JSON.",
      flags: [
        { name: "file", short: "f", value: "FILE", description: "the template", required: true },
        { name: "data", value: "DATA.json", description: "the data (default: none)" },
        missingkey,
      ],
      exits: {
        1: "the template could not be rendered; the message has its line, its column and what Go says of it",
      },
      examples: ["headway template render -f args.tmpl --data params.json --missingkey error"],
      async run(input, io) {
        const { renderFile } = await import("../template/render.ts");
        return renderFile(input, io);
      },
    },
    {
      name: "serve",
      summary: "render templates from standard input, one JSON object a line",
      description:
        "Reads one {id, template, data, missingkey} a line and answers each with {id, output} or {id, error} on a line, in order.",
      examples: [
        'echo \'{"id": 1, "template": "{{ .a | upper }}", "data": {"a": "x"}}\' | headway template serve',
      ],
      async run(_input, io, signal) {
        const { serveStdin } = await import("../template/serve.ts");
        await serveStdin(io, signal);
      },
    },
  ],
};
