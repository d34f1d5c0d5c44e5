import type { Context } from 'koa';

/** The compressed forms of the bytes of an answer that is kept, by the header Accept-Encoding for which they were made. */
interface Forms {
  /** Bytes for which there is room. */
  remaining: number;
  /** Null before the first one is made. */
  forms: Map<string, Form> | null;
}

interface Form {
  readonly encoding: string;
  readonly bytes: Buffer;
}

const formsByBody = new WeakMap<object, Forms>();

/** Longest Accept-Encoding for which a form is kept. */
const longest = 200;

/** Lets compressed forms of bytes be kept as long as these. Returns how many bytes they may have: less than half, as JSON has by far. */
export function roomForForms(bytes: Buffer): number {
  const left = Math.floor(bytes.length / 2);
  formsByBody.set(bytes, { remaining: left, forms: null });
  return left;
}

const formsOf = ({ body, method, status, response }: Context): Forms | undefined =>
  Buffer.isBuffer(body) && method === 'GET' && status === 200 && !response.get('Content-Encoding')
    ? formsByBody.get(body)
    : undefined;

const acceptedBy = ({ req }: Context): string => String(req.headers['accept-encoding'] ?? '');

/** Puts the compressed form of an answer in its place, if that is kept. Otherwise returns what keeps it when it is made. */
export function takeForm(ctx: Context): ((bytes: Buffer) => void) | null {
  const forms = formsOf(ctx);
  const accepted = acceptedBy(ctx);
  if (forms === undefined || accepted.length > longest) return null;
  const form = forms.forms?.get(accepted);
  if (form === undefined)
    return (bytes) => {
      const encoding = ctx.response.get('Content-Encoding');
      if (encoding === '' || bytes.length + accepted.length > forms.remaining || forms.forms?.has(accepted)) return;
      forms.remaining -= bytes.length + accepted.length;
      (forms.forms ??= new Map<string, Form>()).set(accepted, { encoding, bytes });
    };
  ctx.body = form.bytes;
  ctx.set('Content-Encoding', form.encoding);
  return null;
}
