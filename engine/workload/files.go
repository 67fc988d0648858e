package workload

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
)

const (
	pageSize        = 4096
	pagesPerSegment = 8
	segmentsKept    = 4
)

// fileIO is writers that fill segment files page by page, sync them, rename them into
// place and delete the oldest, and readers that read them back.
func fileIO(r *run) ([]job, error) {
	segments := r.Registry.NewFileClass("workload/segment")
	if err := segments.Mkdir(r.path("segments"), 0o755); err != nil {
		return nil, err
	}
	page := bytes.Repeat([]byte("pfsd"), pageSize/4)
	segment := func(worker, n int) string {
		return r.path("segments", fmt.Sprintf("%02d-%06d.seg", worker, n))
	}

	jobs := r.perWorker("segment_writer", func(worker int) func(context.Context) error {
		n := 0
		return func(context.Context) error {
			temporary := segment(worker, n) + ".tmp"
			f, err := segments.Create(temporary)
			if err != nil {
				return err
			}
			for range pagesPerSegment {
				if _, err := f.Write(page); err != nil {
					return firstError(err, f.Close())
				}
			}
			if err := firstError(f.Sync(), f.Close(), segments.Rename(temporary, segment(worker, n))); err != nil {
				return err
			}
			n++
			if n > segmentsKept {
				return segments.Remove(segment(worker, n-segmentsKept-1))
			}
			return nil
		}
	})
	return append(jobs, r.perWorker("segment_reader", func(int) func(context.Context) error {
		buf := make([]byte, pageSize)
		return func(context.Context) error {
			entries, err := segments.ReadDir(r.path("segments"))
			if err != nil || len(entries) == 0 {
				return err
			}
			// The writer may delete or rename it at any time.
			f, err := segments.Open(r.path("segments", entries[len(entries)/2].Name()))
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil {
				return err
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				return err
			}
			if _, err := f.Seek(info.Size()/2, io.SeekStart); err != nil {
				return err
			}
			if _, err := f.ReadAt(buf, 0); err != nil && err != io.EOF {
				return err
			}
			return nil
		}
	})...), nil
}
