import fc from "fast-check";
import { TemplateError } from "../../../packages/template/index.ts";
import { fuzzData, templates } from "../../harness/template-grammar.ts";
import { mutateText } from "../bytes.ts";
import { target } from "../target.ts";
import { renderer } from "./templates.ts";

/** Making templates costs more than rendering them: each seed gives some, which are then spliced with each other. */
const perSeed = 64;
const made = new Map<number, readonly string[]>();

function sample(seed: number): readonly string[] {
  const known = made.get(seed);
  if (known) return known;
  if (made.size > 8) made.clear();
  const fresh = fc.sample(templates, { numRuns: perSeed, seed });
  made.set(seed, fresh);
  return fresh;
}

export const templateGrammar = target<string>({
  name: "template-grammar",
  covers:
    "templates out of the grammar of the language with every function that sprig has, whole and spliced with each other",
  make(random) {
    const texts = sample(random.below(16));
    const text = random.of(texts);
    return random.oneIn(8) ? text : mutateText(random, text, random.of(texts));
  },
  run(text) {
    renderer.render(text, structuredClone(fuzzData));
  },
  refusals: [TemplateError],
});
