import isEqual from 'lodash/isEqual';
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useIntl } from 'react-intl';
import { Box, Button, Flex, TextButton } from '@strapi/design-system';
import { useCMEditViewDataManager, useNotification } from '@strapi/helper-plugin';
import { post } from '../client.js';
import { label } from '../texts.js';
import { shownValues } from './shown-values.ts';

/** A button that opens the page of an entry beside its form, and sends it what the editor types. */
export const preview = { name: 'preview', zones: [['editView', 'right-links', Preview]] };

/** The type of messages of `@payloadcms/live-preview`, from both sides. */
const messageType = 'payload-live-preview';

function Preview() {
  const { slug, initialData, isCreatingEntry } = useCMEditViewDataManager();
  const { id } = initialData;
  if (isCreatingEntry || id === undefined) return null;
  return <PreviewOf key={`${slug} ${id}`} uid={slug} id={id} />;
}

function PreviewOf({ uid, id }) {
  const { formatMessage } = useIntl();
  const notify = useNotification();
  const [address, setAddress] = useState(null);
  const [isLoading, setLoading] = useState(false);
  const open = async () => {
    setLoading(true);
    try {
      const { data } = await post('/admin/api/preview-tokens', { uid, id });
      if (data.data.url === undefined) notify({ type: 'info', message: formatMessage(label('preview.none')) });
      else setAddress(data.data.url);
    } catch (error) {
      const message = error.response?.data?.error?.message ?? formatMessage(label('preview.failed'));
      notify({ type: 'warning', message });
    } finally {
      setLoading(false);
    }
  };
  return (
    <>
      <Button variant="secondary" fullWidth loading={isLoading} onClick={() => void open()}>
        {formatMessage(label('preview.open'))}
      </Button>
      {address !== null && createPortal(<PreviewFrame address={address} onClose={() => setAddress(null)} />, document.body)}
    </>
  );
}

/** The page in a frame in the lower half of the window. The form keeps its width, and is scrolled in the upper half. */
function PreviewFrame({ address, onClose }) {
  const { formatMessage } = useIntl();
  const frame = useRef(null);
  const tab = useRef(null);
  useRoomBelow();
  useUnsavedValues(address, () => [frame.current?.contentWindow, tab.current]);
  const title = formatMessage(label('preview.title'));
  return (
    <Box
      as="section"
      aria-label={title}
      background="neutral0"
      shadow="popupShadow"
      position="fixed"
      zIndex={4}
      right={0}
      bottom={0}
      width="100%"
      height="50%"
    >
      <Flex direction="column" alignItems="stretch" height="100%">
        <Flex padding={2} gap={4} justifyContent="end">
          <TextButton onClick={() => (tab.current = window.open(address))}>{formatMessage(label('preview.tab'))}</TextButton>
          <TextButton onClick={onClose}>{formatMessage(label('preview.close'))}</TextButton>
        </Flex>
        <iframe ref={frame} title={title} src={address} style={{ border: 0, flexGrow: 1, width: '100%' }} />
      </Flex>
    </Box>
  );
}

/** Lets the last fields of a form be scrolled above the frame. */
function useRoomBelow() {
  useEffect(() => {
    const { style } = document.body;
    style.paddingBottom = '50vh';
    return () => {
      style.paddingBottom = '';
    };
  }, []);
}

/** Sends what is typed to pages of an origin: when a page says that it is ready, and after each change from then on. */
function useUnsavedValues(address, windows) {
  const { initialData, modifiedData, allLayoutData } = useCMEditViewDataManager();
  const { contentType, components } = allLayoutData;
  const { origin } = new URL(address);
  const ready = useRef(new Set());
  const isTyped = useRef(false);
  isTyped.current = !isEqual(initialData, modifiedData);
  const send = useRef(() => undefined);
  send.current = () => {
    const data = shownValues(modifiedData, contentType.attributes, components);
    const name = contentType.kind === 'singleType' ? 'globalSlug' : 'collectionSlug';
    const message = { type: messageType, data, [name]: contentType.apiID, locale: modifiedData.locale };
    for (const page of ready.current) page.postMessage(message, origin);
  };
  useEffect(() => send.current(), [modifiedData]);
  useEffect(() => {
    const answer = ({ origin: sender, source, data }) => {
      const isReady = data?.type === messageType && data.ready === true;
      if (!isReady || sender !== origin || !windows().includes(source)) return;
      ready.current.add(source);
      if (isTyped.current) send.current(); // otherwise the page shows what is stored
    };
    window.addEventListener('message', answer);
    return () => window.removeEventListener('message', answer);
  }, [origin]);
}
