/** Limits of one request: the settings under `api.limits`. */
export interface Limits extends SpentLimits {
  /** Conditions of a filter. */
  readonly filterNodes: number;
  readonly listValues: number;
  /** Characters of a text that a filter compares with. */
  readonly textLength: number;
  readonly populateDepth: number;
  readonly populateRelations: number;
  readonly sortKeys: number;
  /** Relations that one sort key leads through. */
  readonly sortKeyLinks: number;
  /** `relatedConditions` for callers with a token. */
  readonly tokenRelatedConditions: number;
}

/** The limits that a request spends while it is bound, read and shaped. */
export interface SpentLimits {
  /** Entries that are read from the database, each time they are read. */
  readonly entriesRead: number;
  /** Entries and components in the answer, each as often as it appears. */
  readonly entriesRendered: number;
  /** Size of the answer, estimated while it is shaped. */
  readonly answerBytes: number;
  /** Types whose fields and relations are selected, once for each level of populate. */
  readonly boundSelections: number;
  /** Conditions on related entries that need a command. */
  readonly relatedConditions: number;
  /** Related entries that such conditions match. */
  readonly idsResolved: number;
  /** Relations that all sort keys together lead through. */
  readonly sortLinks: number;
}
