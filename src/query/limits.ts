/** How much one request may ask for (decisions.md, "Limits of a request"); all figures are configurable. */
export interface Limits {
  readonly filterNodes: number;
  readonly listValues: number;
  /** Characters of a text that a filter compares with. */
  readonly textLength: number;
  readonly populateDepth: number;
  readonly populateRelations: number;
  readonly sortKeys: number;
}

export const defaultLimits: Limits = {
  filterNodes: 200,
  listValues: 1000,
  textLength: 8000,
  populateDepth: 10,
  populateRelations: 100,
  sortKeys: 10,
};
