import { downloadName, mediaBytes } from './media-file.js';
import type { MultipartForm, Question } from './questions.js';

/** Row m-download: the stored file. */
export const askDownload = (): Question => ({
  product: { method: 'GET', path: `/uploads/${downloadName}`, answer: 'bytes' },
  baseline: { method: 'GET', path: `/m-download?name=${downloadName}`, answer: 'bytes' },
});

/** Row m-upload: a new file of the same bytes. */
export const askUpload = (): Question => ({
  product: { method: 'POST', path: '/api/upload', form: uploadForm() },
  baseline: { method: 'POST', path: '/m-upload', form: uploadForm() },
});

const uploadForm = (): MultipartForm => (form ??= makeForm());

let form: MultipartForm | undefined;

/** As a browser sends it. */
function makeForm(): MultipartForm {
  const boundary = '----WebKitFormBoundary0123456789abcdef';
  const disposition = 'Content-Disposition: form-data; name="files"; filename="recording.bin"';
  const head = `--${boundary}\r\n${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([Buffer.from(head), mediaBytes(), Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
