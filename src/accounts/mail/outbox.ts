import { setTimeout as delay } from 'node:timers/promises';
import type { SendMailOptions } from 'nodemailer';
import { Queue } from '#base/limits/queue.js';
import type { Observer } from '#base/observe/observer.js';

/** An e-mail that is sent after the answer. */
interface Posting {
  /** What the log says about it. Contains no code and no address. */
  readonly about: Readonly<Record<string, unknown>>;
  /** Called once. Returns the e-mail; null if none is to be sent. */
  readonly compose: () => Promise<SendMailOptions | null>;
}

/** E-mails that are sent after the answer, and again if the mail server does not accept them. */
interface Outbox {
  post(posting: Posting): void;
  /** Waits a few seconds for e-mails that are being sent, and logs all that were not sent. */
  close(): Promise<void>;
}

interface OutboxInput {
  readonly observer: Observer;
  readonly deliver: (mail: SendMailOptions) => Promise<unknown>;
  /** Milliseconds before each further attempt. */
  readonly retries?: readonly number[];
  /** Maximum number of e-mails that are not sent yet. */
  readonly most?: number;
  /** Milliseconds that closing waits for e-mails that are being sent. */
  readonly grace?: number;
}

/** Ends within the hour for which a code for a new password is valid. */
const usualRetries: readonly number[] = [1_000, 10_000, 60_000, 600_000, 1_800_000];

/** Returns an outbox in memory. E-mails contain codes, which are stored as hashes only. */
export function createOutbox(input: OutboxInput): Outbox {
  const { observer, deliver, retries = usualRetries, most = 1_000, grace = 3_000 } = input;
  const pending = new Map<Posting, Promise<void>>();
  const closing = new AbortController();

  const send = sender({ observer, deliver, retries, signal: closing.signal });
  const run = async ({ about, compose }: Posting): Promise<void> => {
    try {
      const mail = await compose();
      if (mail !== null) await send(mail, about);
    } catch (err) {
      const text = closing.signal.aborted ? dropped : 'an e-mail could not be sent';
      observer.observe({ kind: 'mail failed', text, about: { ...about, err } });
    }
  };
  return {
    post: (posting) => {
      if (closing.signal.aborted || pending.size >= most) {
        const text = closing.signal.aborted ? dropped : 'too many e-mails wait for the mail server: one was not sent';
        observer.observe({ kind: 'mail failed', text, about: posting.about });
        return;
      }
      const sent = run(posting).finally(() => pending.delete(posting));
      pending.set(posting, sent);
    },
    close: async () => {
      closing.abort();
      await Promise.race([Promise.all(pending.values()), delay(grace, undefined, { ref: false })]);
      for (const { about } of pending.keys()) observer.observe({ kind: 'mail failed', text: dropped, about });
    },
  };
}

interface SenderInput extends Required<Pick<OutboxInput, 'observer' | 'deliver' | 'retries'>> {
  /** Aborted when the service stops: nothing is tried again then. */
  readonly signal: AbortSignal;
}

/** Returns a function that sends an e-mail, a few at a time. It rejects with the error of the last attempt. */
function sender({ observer, deliver, retries, signal }: SenderInput) {
  const queue = new Queue({ atOnce: 5 });
  return async (mail: SendMailOptions, about: Posting['about']): Promise<void> => {
    for (const wait of [...retries, null]) {
      try {
        await queue.run(async () => deliver(mail));
        return;
      } catch (err) {
        if (wait === null || isFinal(err) || signal.aborted) throw err;
        const text = 'an e-mail could not be sent yet';
        observer.observe({ kind: 'mail delayed', text, about: { ...about, err, retryIn: wait } });
        await delay(wait, undefined, { signal, ref: false });
      }
    }
  };
}

const dropped = 'the service stopped before an e-mail was sent';

/** Returns whether the mail server will never accept an e-mail, because of its address or content. */
function isFinal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  return (
    ['EENVELOPE', 'EMESSAGE'].includes(String(Reflect.get(error, 'code'))) && Number(Reflect.get(error, 'responseCode')) >= 500
  );
}
