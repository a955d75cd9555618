import { AppError, messageOf } from "../../errors.ts";
import { type Applies, appliesOf, type OpenedAction } from "../../plugins/index.ts";

/** What of an item decides which actions see it. */
export interface Offered {
  /** `deployments.apps`, `pods`. */
  readonly groupResource: string;
  /** "" for items without one. */
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Turns a word for a type (`pvc`, `Deployment`) into its name; undefined when the cluster has none. */
export type ResolveType = (word: string) => string | undefined;

/** The actions of one run with their selectors read, in the order in which they are called. */
export class ActionSet {
  readonly #all: readonly { readonly action: OpenedAction; readonly applies: Applies }[];

  /** Throws when a selector cannot be read: whoever wrote it meant something. */
  constructor(actions: readonly OpenedAction[], resolve: ResolveType) {
    this.#all = actions.map((action) => ({ action, applies: appliesTo(action, resolve) }));
  }

  /** Whether any action may want items of a type. */
  wants(groupResource: string): boolean {
    return this.#all.some(({ applies }) => applies.type(groupResource));
  }

  /** The actions for one item. */
  for(offered: Offered): readonly OpenedAction[] {
    return this.#all.flatMap(({ action, applies }) => (applies.item(offered) ? [action] : []));
  }

  /** The same one by one: each is chosen by the item as it is when its turn comes. */
  *inTurn(offered: () => Offered): Generator<OpenedAction> {
    for (const { action, applies } of this.#all) if (applies.item(offered())) yield action;
  }

  /** The action of an operation. */
  find(name: string): OpenedAction | undefined {
    return this.#all.find(({ action }) => action.name === name)?.action;
  }
}

function appliesTo(action: OpenedAction, resolve: ResolveType): Applies {
  try {
    return appliesOf(action.selector, resolve);
  } catch (error) {
    const message = `plugin "${action.name}" cannot say which items it wants: ${messageOf(error)}`;
    throw new AppError("PLUGIN_FAILED", message, { cause: error, retry: false });
  }
}
