/** The page figures of GraphQL; nested lists use them too. */
export interface PageSettings {
  readonly defaultLimit: number;
  /** Null: no maximum. */
  readonly maxLimit: number | null;
}

/** `defaultLimit`, `maxLimit` and `amountLimit` of the plugin's configuration. A maxLimit of -1 lifts the cap, none leaves it to amountLimit. */
export function pageSettings(config: {
  readonly defaultLimit: number;
  readonly maxLimit: number | null;
  readonly amountLimit: number;
}): PageSettings {
  const { defaultLimit, maxLimit, amountLimit } = config;
  const cap = maxLimit ?? amountLimit;
  return { defaultLimit, maxLimit: cap < 0 ? null : cap };
}
