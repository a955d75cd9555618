import { useEffect } from "react";
import { doneWords, isTerminal, type Operation, shownState, stateWords } from "../progress/index.ts";

/** What the tab says of an operation, so that one need not look into it: `43% shop-nightly`, `stalled: shop-nightly`. */
function titleOf(operation: Operation): string {
  const { name } = operation.ref;
  const state = shownState(operation);
  if (state === "running" && operation.fraction !== undefined)
    return `${doneWords(operation)} ${name} · Headway`;
  const isNews = isTerminal(operation.state) || state === "stalled" || state === "running";
  return `${isNews ? `${stateWords[state]}: ` : ""}${name} · Headway`;
}

/** Keeps the title of the tab true while an operation is shown. */
export function useTitle(operation: Operation): void {
  const title = titleOf(operation);
  useEffect(() => {
    document.title = title;
    return () => {
      document.title = "Headway";
    };
  }, [title]);
}
