// Package overlay has a file system whose changes are in memory, over the files of a device that must
// not change: a store on a device without room can be opened and read with it.
//
//	o.FS = overlay.New(device)
//
// overlay.go has all of it. Begin reading there, at the type overlay. Safe for concurrent use.
//
// Called by txkv. Calls nothing of the module, only the file systems of Pebble.
package overlay
