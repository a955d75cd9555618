/** A fenced block of a page. */
export interface Block {
  readonly line: number;
  /** What stands behind the fence: `console`, `console not-run: …`, `yaml`, nothing. */
  readonly info: string;
  readonly text: string;
}

/** The fenced blocks of a page. */
export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly line: number; readonly info: string; readonly text: string[] } | undefined;
  page.split("\n").forEach((line, i) => {
    const fence = /^```(.*)$/.exec(line)?.[1];
    if (fence === undefined) open?.text.push(line);
    else if (!open) open = { line: i + 1, info: fence.trim(), text: [] };
    else {
      blocks.push({ ...open, text: open.text.join("\n") });
      open = undefined;
    }
  });
  return blocks;
}

/** The commands of a console block: lines behind `$ `, with those that a backslash continues. */
export function commandsOf({ text }: Block): readonly string[] {
  const commands: string[] = [];
  let isOpen = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("$ ")) commands.push(line.slice(2));
    else if (isOpen) commands.push(`${commands.pop() ?? ""}\n${line}`);
    isOpen = line.endsWith("\\") && (isOpen || line.startsWith("$ "));
  }
  return commands;
}

/** Whether a block is to be run: a console block that does not say why it cannot be. */
export function isRunnable({ info }: Block): boolean {
  return info === "console";
}

/** What is wrong with how blocks are marked: every block with commands says that they are, and whether they run. */
export function markFaults(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block) => {
    const { line, info, text } = block;
    if (info.startsWith("console")) {
      if (commandsOf(block).length === 0) return [`line ${line}: a console block without a command`];
      return /^console( not-run: \S.{5,})?$/.test(info) ? [] : [`line ${line}: "${info}" does not say why`];
    }
    const isShell = info === "sh" || info === "bash" || /^(\$ )?(headway|kubectl|npm|helm) /m.test(text);
    return isShell && info !== "text" ? [`line ${line}: commands outside of a console block`] : [];
  });
}
