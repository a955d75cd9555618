import { EventReader } from "../../../src/ui/sse.ts";
import { mutateText } from "../bytes.ts";
import { Random } from "../random.ts";
import { BrokenLaw, target } from "../target.ts";

const sample =
  'event: reset\ndata: {}\n\nid: a-1\nevent: operation\ndata: {"id":"backup/velero/b","operation":{"state":"running"}}\n\n: ping\n\nevent: gone\ndata: {"id":"x"}\n\n';

export const events = target<string>({
  name: "events",
  covers: "the stream of events as the page reads it, in pieces cut anywhere: the same events come out",
  make: (random) => mutateText(random, sample),
  run(text) {
    const [whole, cut] = [new EventReader(), new EventReader()];
    const pieces = cutText(new Random(text.length), text);
    const [all, some] = [whole.take(text), pieces.flatMap((piece) => cut.take(piece))];
    if (JSON.stringify(all) !== JSON.stringify(some))
      throw new BrokenLaw("pieces make other events than the whole");
  },
});

function cutText(random: Random, text: string): string[] {
  const cuts = Array.from({ length: random.below(12) }, () => random.below(text.length + 1)).toSorted(
    (a, b) => a - b,
  );
  const edges = [0, ...cuts, text.length];
  return edges.slice(1).map((end, i) => text.slice(edges[i], end));
}
