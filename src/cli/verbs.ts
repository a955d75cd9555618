import type { Command } from "./command.ts";

/** `get backups`, `describe backup x`: commands of nouns with the verb in front, as kubectl and upstream's command line take them. */
export function verb(
  name: string,
  summary: string,
  nouns: readonly Command[],
  own: readonly Command[] = [],
): Command {
  const same = nouns.flatMap((noun): Command[] => {
    const child = noun.commands?.find((command) => command.name === name);
    return child
      ? [{ ...child, name: noun.name, aliases: noun.aliases ?? [], sameAs: `${noun.name} ${name}` }]
      : [];
  });
  return { name, summary, takesSlash: true, commands: [...own, ...same] };
}
