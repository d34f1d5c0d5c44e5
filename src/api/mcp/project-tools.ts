import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { memoize } from '#base/caches.js';
import { validationError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import type { AgentTool } from '#http/running.js';
import { type AgentCall, maxBytesOf } from './agent-call.js';
import { refuseLarge } from './bounded-answer.js';
import { scopesOf } from './oauth/scopes.js';
import type { Tool } from './tool.js';

/**
 * Returns the tools that code of the project has registered. Callers that only read have none, nor has the public, because such a tool may
 * do anything. Clients of OAuth are offered those alone whose registration names the scopes that they need.
 */
export function projectTools({ running, caller, content }: AgentCall): readonly Tool[] {
  const onlyReads = running.config.api.mcp.readOnly || content.bind.access.grants.kind === 'readOnly';
  const scopes = scopesOf(caller);
  if (onlyReads || caller.kind === 'public') return [];
  return (running.agentTools?.() ?? []).filter((tool) => scopes === null || isWithin(tool, scopes)).map(toolOf);
}

const isWithin = ({ scopes: needed = [] }: AgentTool, scopes: ReadonlySet<string>): boolean =>
  needed.length > 0 && needed.every((scope) => scopes.has(scope));

const toolOf = memoize((registered: AgentTool): Tool => {
  const { name, title, description, inputSchema } = registered;
  return {
    definition: { name, title, description, inputSchema: { ...inputSchema, type: 'object' } },
    isUnchecked: true,
    run: async (input, call) => {
      const checked = validatorOf(registered)(input);
      if (!checked.valid) throw validationError(checked.errorMessage);
      return answerOf(await registered.handler(checked.data, { state: call.request.state }), call);
    },
  };
});

/** Compiles a schema on the first call, so that a wrong one of a project fails that tool alone. */
const validatorOf = memoize(({ inputSchema }: AgentTool) => new AjvJsonSchemaValidator().getValidator<Values>(inputSchema));

/** Returns the answer of code as JSON has it. Throws an error if it is too large, because only the code knows what may be left out. */
function answerOf(result: unknown, call: AgentCall): Values {
  const json = JSON.stringify(result) as string | undefined; // of a function, or of what its `toJSON` leaves out
  const value: unknown = JSON.parse(json ?? 'null');
  return refuseLarge(isRecord(value) ? value : { result: value }, maxBytesOf(call));
}
