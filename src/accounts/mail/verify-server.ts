/** Milliseconds that a mail server may take for each step. */
const patience = 3_000;

/** Connects to the mail server of the settings, and logs in. Rejects if it refuses. Sends nothing. */
export async function verifyMailServer(providerOptions: object): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const limits = { connectionTimeout: patience, greetingTimeout: patience, socketTimeout: patience, dnsTimeout: patience };
  const transport = createTransport({ ...limits, ...providerOptions });
  await transport.verify().finally(() => {
    transport.close();
  });
}
