import type { Values } from '#base/values.js';
import type { Schema } from '#http/json-schema.js';
import type { AgentCall } from './agent-call.js';

/** A tool as clients see it. */
interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema & { readonly type: 'object' };
  readonly annotations?: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
}

export interface Tool {
  readonly definition: ToolDefinition;
  /** Whether it checks its input itself. */
  readonly isUnchecked?: true;
  /** Returns the structured answer. Throws an ApiError for what cannot be done. */
  readonly run: (input: Values, call: AgentCall) => Promise<Values>;
}

/** What a tool does to content, for clients that ask their users before a call. */
export const annotations = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
} as const satisfies Readonly<Record<string, ToolDefinition['annotations']>>;
