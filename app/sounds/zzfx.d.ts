/** The package has no types. Declared as far as they are used. */
declare module "zzfx" {
  export const ZZFX: {
    /** Made when the module is loaded. */
    audioContext: AudioContext;
    /** Master volume from 0 to 1. */
    volume: number;
    /** Samples for each second. */
    sampleRate: number;
    play(...parameters: readonly number[]): AudioBufferSourceNode;
    /** The samples of a sound, from -1 to 1, before the master volume is applied a second time. */
    buildSamples(...parameters: readonly number[]): number[];
  };
}
