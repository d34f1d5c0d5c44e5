import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { memoize } from '#base/caches.js';
import { validationError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import type { AgentTool } from '#http/running.js';
import { type AgentCall, maxBytesOf } from './agent-call.js';
import { refuseLarge } from './bounded-answer.js';
import { offeredScopes, scopesOf } from './oauth/scopes.js';
import type { Tool } from './tool.js';

/**
 * Returns the tools that code of the project has registered. Callers that only read have none, nor has the public, because such a tool may
 * do anything. Clients of OAuth need all scopes that the service offers.
 */
export function projectTools({ running, caller, content }: AgentCall): readonly Tool[] {
  const onlyReads = running.config.api.mcp.readOnly || content.bind.access.grants.kind === 'readOnly';
  const scopes = scopesOf(caller);
  const isNarrowed = scopes !== null && !offeredScopes(running.config).every((scope) => scopes.has(scope));
  return onlyReads || isNarrowed || caller.kind === 'public' ? [] : (running.agentTools?.() ?? []).map(toolOf);
}

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

/** Returns the answer of code. Throws an error if it is too large, because only the code knows what may be left out. */
const answerOf = (result: unknown, call: AgentCall): Values =>
  refuseLarge(isRecord(result) ? result : { result: result ?? null }, maxBytesOf(call));
