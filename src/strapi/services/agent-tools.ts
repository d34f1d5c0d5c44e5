import { toolNames } from '#api/mcp/tool-names.js';
import type { AgentTool } from '#http/running.js';
import { isRecord, type Values } from '#base/values.js';
import { refuseMissing } from '../load/unsupported-code.js';

/** `strapi.ai` of Strapi v5, as far as agents of this service use it. */
export interface StrapiAi {
  readonly mcp: {
    /**
     * Offers a tool to agents. The handler is called with the checked input, and the state of the request, which has the caller. It
     * decides what the caller may do.
     */
    registerTool(
      name: string,
      about: Pick<AgentTool, 'title' | 'description' | 'scopes'> & { readonly inputSchema?: Values },
      handler: AgentTool['handler'],
    ): void;
  };
}

/** Creates `strapi.ai`, which adds tools to a map. */
export function createAi(tools: Map<string, AgentTool>): StrapiAi {
  const registerTool: StrapiAi['mcp']['registerTool'] = (name, about, handler) => {
    const { title, description, inputSchema = { type: 'object', properties: {} }, scopes = [] } = about;
    const problem =
      problemOf(name, { title, description, inputSchema, scopes }, handler) ?? (tools.has(name) ? 'is registered twice' : null);
    if (problem !== null) throw new Error(`strapi.ai.mcp.registerTool: the tool ${name} ${problem}`);
    tools.set(name, { name, title, description, inputSchema, scopes, handler });
  };
  return refuseMissing({ mcp: refuseMissing({ registerTool }, 'strapi.ai.mcp') }, 'strapi.ai');
}

const knownScopes: ReadonlySet<unknown> = new Set(['content:read', 'content:write', 'content:publish']);

/** Returns what is wrong with a tool; null if nothing is. Code may pass values of any type. */
function problemOf(name: string, about: Omit<AgentTool, 'name' | 'handler'>, handler: unknown): string | null {
  if (!/^[A-Za-z][\w-]{0,63}$/.test(name)) return 'needs a name of letters, digits, _ and -';
  if (toolNames.includes(name)) return 'is one of the service';
  if (typeof about.title !== 'string' || typeof about.description !== 'string') return 'needs a title and a description';
  if (!isRecord(about.inputSchema) || about.inputSchema['type'] !== 'object')
    return 'needs an inputSchema that is a JSON schema of an object';
  const { scopes } = about as { readonly scopes: unknown };
  if (!Array.isArray(scopes) || !scopes.every((scope) => knownScopes.has(scope)))
    return `needs scopes that are a list of ${[...knownScopes].join(', ')}`;
  return typeof handler === 'function' ? null : 'needs a handler';
}
