/**
 * For `node --import`: the first server of the process listens on the socket that the process
 * inherits as descriptor 3, whatever address it asks for. A client there has no address of its own,
 * so a service sees the one that a client of the same machine has.
 */

import net from 'node:net';

const { listen } = net.Server.prototype;
const { get } = Object.getOwnPropertyDescriptor(net.Socket.prototype, 'remoteAddress');
let taken = false;

net.Server.prototype.listen = function listenOnInherited(...words) {
  if (taken) {
    return listen.apply(this, words);
  }
  taken = true;
  const whenListening = words.filter((word) => typeof word === 'function');
  return listen.call(this, { fd: 3 }, ...whenListening);
};

Object.defineProperty(net.Socket.prototype, 'remoteAddress', {
  configurable: true,
  get() {
    return get.call(this) ?? '127.0.0.1';
  },
});
