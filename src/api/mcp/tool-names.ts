/** The tools that read entries of types, and those that write them, in their order. */
export const readingTools = ['find', 'get', 'count', 'aggregate'] as const;
const writingTools = ['create', 'update', 'delete', 'publish', 'unpublish'] as const;
export const typeTools = [...readingTools, ...writingTools] as const;

/** A tool for entries of types. */
export type TypeTool = (typeof typeTools)[number];

/** The tools of the service, whose names no tool of a project may have. */
export const toolNames: readonly string[] = ['describe', ...typeTools];
