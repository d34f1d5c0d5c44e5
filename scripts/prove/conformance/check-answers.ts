import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Exchange } from './listen-in-front.js';
import { adminToken } from './server-config.js';

/** The parts of an OpenAPI document that describe answers. */
export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, object>> }>>>>;
  readonly components: object;
}

/** Reads the document of everything that a conformance server answers. */
export async function readDocument(url: string): Promise<OpenapiDocument> {
  const response = await fetch(`${url}/api/openapi.json`, { headers: { authorization: `Bearer ${adminToken}` } });
  if (!response.ok) throw new Error(`the OpenAPI document: ${String(response.status)} ${await response.text()}`);
  return (await response.json()) as OpenapiDocument;
}

export interface CheckedAnswers {
  readonly checked: number;
  /** The number of methods and paths among them. */
  readonly operations: number;
  /** One line for each answer that does not match the document. */
  readonly problems: readonly string[];
}

/** Checks the answers to every path and method of the document. Those without a row (405), and GraphQL, are not described. */
export function checkAnswers(exchanges: readonly Exchange[], document: OpenapiDocument): CheckedAnswers {
  const checker = new AnswerChecker(document);
  const results = exchanges.flatMap((exchange) => checker.check(exchange) ?? []);
  return {
    checked: results.length,
    operations: new Set(results.map(({ operation }) => operation)).size,
    problems: results.flatMap(({ problem }) => problem ?? []),
  };
}

interface Result {
  readonly operation: string;
  /** Null: the answer is as described. */
  readonly problem: string | null;
}

class AnswerChecker {
  readonly #document: OpenapiDocument;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #templates: readonly (readonly [template: string, form: RegExp])[];

  constructor(document: OpenapiDocument) {
    this.#document = document;
    this.#ajv.addSchema({ ...document, $id: 'openapi' });
    // paths without parameters come first, as they do in the service
    const templates = Object.keys(document.paths).sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')));
    this.#templates = templates.map((template) => [
      template,
      new RegExp(
        `^${template.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, (_, name) => (template.startsWith('/uploads') && name === 'name' ? '.+' : '[^/]+'))}/?$`,
      ),
    ]);
  }

  /** Null: the document has no such path and method. */
  check(exchange: Exchange): Result | null {
    const path = exchange.url.split('?')[0] ?? '';
    const method = (exchange.method === 'HEAD' ? 'GET' : exchange.method).toLowerCase();
    const template = this.#templates.find(([, form]) => form.test(path))?.[0];
    const described = template === undefined ? undefined : this.#document.paths[template]?.[method];
    if (template === undefined || described === undefined || exchange.status === 405) return null;
    const operation = `${method} ${template}`;
    const status = String(exchange.status) in described.responses ? String(exchange.status) : 'default';
    const problem = this.#problemOf(exchange, { template, method, status });
    return {
      operation,
      problem: problem === null ? null : `${exchange.method} ${exchange.url} ${String(exchange.status)}: ${problem}`,
    };
  }

  #problemOf({ method, type, body }: Exchange, place: Place): string | null {
    const [at, answer] = this.#answerAt(place);
    const content = isObject(answer['content']) ? answer['content'] : null;
    const [mediaType = ''] = type.split(';', 1);
    if (content === null) return body.length === 0 ? null : 'a body that is not described';
    if (method === 'HEAD' || '*/*' in content) return null;
    if (!(mediaType in content)) return `${mediaType || 'no body'} is not described`;
    if (mediaType !== 'application/json') return null;
    const validate = this.#validator(`${at}/content/application~1json/schema`);
    return validate(JSON.parse(body.toString())) ? null : this.#ajv.errorsText(validate.errors);
  }

  /** The JSON pointer of a described answer, references followed, and the answer. */
  #answerAt({ template, method, status }: Place): readonly [string, Readonly<Record<string, unknown>>] {
    const answer = this.#document.paths[template]?.[method]?.responses[status] as Readonly<Record<string, unknown>>; // was found before
    const reference = answer['$ref'];
    if (typeof reference !== 'string') return [`#/paths/${template.replaceAll('/', '~1')}/${method}/responses/${status}`, answer];
    const name = reference.split('/').at(-1) ?? '';
    const { responses } = this.#document.components as { responses: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
    return [reference, responses[name] ?? {}];
  }

  #validator(pointer: string): ValidateFunction {
    const known = this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: `openapi${encodeURI(pointer)}` });
    this.#compiled.set(pointer, known);
    return known;
  }
}

interface Place {
  readonly template: string;
  readonly method: string;
  readonly status: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
